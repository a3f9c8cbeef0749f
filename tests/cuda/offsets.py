#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Own declarations of CUPTI's records (collector/cuda/cupti_abi.h) and of NVTX (nvtx_abi.h) against the headers of a toolkit: every offset,
every number that is used. Exit 77 where there are no headers.

usage: offsets.py SOURCE-ROOT [INCLUDE-FOLDER]     prints each offset"""
import glob
import subprocess
import sys
import tempfile
from pathlib import Path

# struct: CUPTI's names of it, from old to new; member: CUPTI's
STRUCTS = {
    'td_cupti_kernel': (['CUpti_ActivityKernel7', 'CUpti_ActivityKernel8', 'CUpti_ActivityKernel9', 'CUpti_ActivityKernel10', 'CUpti_ActivityKernel11'],
                        {'kind': 'kind', 'start': 'start', 'end': 'end', 'device': 'deviceId', 'context': 'contextId', 'stream': 'streamId',
                         'correlation': 'correlationId', 'name': 'name'}),
    'td_cupti_memcpy': (['CUpti_ActivityMemcpy5', 'CUpti_ActivityMemcpy6', 'CUpti_ActivityMemcpy7'],
                        {'copy_kind': 'copyKind', 'bytes': 'bytes', 'start': 'start', 'end': 'end', 'device': 'deviceId', 'context': 'contextId',
                         'stream': 'streamId', 'correlation': 'correlationId'}),
    'td_cupti_memcpy2': (['CUpti_ActivityMemcpyPtoP4', 'CUpti_ActivityMemcpyPtoP5'],
                         {'copy_kind': 'copyKind', 'bytes': 'bytes', 'start': 'start', 'end': 'end', 'device': 'deviceId', 'stream': 'streamId',
                          'correlation': 'correlationId'}),
    'td_cupti_memset': (['CUpti_ActivityMemset4', 'CUpti_ActivityMemset5'],
                        {'bytes': 'bytes', 'start': 'start', 'end': 'end', 'device': 'deviceId', 'context': 'contextId', 'stream': 'streamId',
                         'correlation': 'correlationId'}),
    'td_cupti_memory': (['CUpti_ActivityMemory2', 'CUpti_ActivityMemory3', 'CUpti_ActivityMemory4'],
                        {'operation': 'memoryOperationType', 'memory_kind': 'memoryKind', 'bytes': 'bytes', 'time': 'timestamp', 'device': 'deviceId'}),
    'td_cupti_graph': (['CUpti_ActivityGraphTrace', 'CUpti_ActivityGraphTrace2'],
                       {'start': 'start', 'end': 'end', 'device': 'deviceId', 'graph': 'graphId', 'context': 'contextId', 'stream': 'streamId',
                        'correlation': 'correlationId'}),
    'td_cupti_api': (['CUpti_ActivityAPI'], {'function': 'cbid', 'start': 'start', 'end': 'end', 'tid': 'threadId', 'correlation': 'correlationId',
                                             'result': 'returnValue'}),
}
NUMBERS = {
    'TD_CUPTI_MAX_LIMIT_REACHED': 'CUPTI_ERROR_MAX_LIMIT_REACHED',
    'TD_CUPTI_MULTIPLE_SUBSCRIBERS': 'CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED',
    'TD_CUPTI_MEMCPY': 'CUPTI_ACTIVITY_KIND_MEMCPY', 'TD_CUPTI_MEMSET': 'CUPTI_ACTIVITY_KIND_MEMSET',
    'TD_CUPTI_DRIVER': 'CUPTI_ACTIVITY_KIND_DRIVER', 'TD_CUPTI_RUNTIME': 'CUPTI_ACTIVITY_KIND_RUNTIME',
    'TD_CUPTI_UNKNOWN': 'CUPTI_ERROR_UNKNOWN', 'TD_CUPTI_KERNEL': 'CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL', 'TD_CUPTI_MEMCPY2': 'CUPTI_ACTIVITY_KIND_MEMCPY2',
    'TD_CUPTI_MEMORY': 'CUPTI_ACTIVITY_KIND_MEMORY2', 'TD_CUPTI_GRAPH': 'CUPTI_ACTIVITY_KIND_GRAPH_TRACE',
    'TD_CUPTI_RELEASES': 'CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_RELEASE',
    'TD_CUDA_OUT_OF_MEMORY': 'CUDA_ERROR_OUT_OF_MEMORY', 'TD_CUDA_NOT_READY': 'CUDA_ERROR_NOT_READY',
    'TD_CUPTI_DOMAIN_DRIVER': 'CUPTI_CB_DOMAIN_DRIVER_API',
    'TD_CUPTI_DOMAIN_RUNTIME': 'CUPTI_CB_DOMAIN_RUNTIME_API', 'TD_CUPTI_FLUSH_FORCED': 'CUPTI_ACTIVITY_FLAG_FLUSH_FORCED',
    'TD_CUPTI_THREAD_ID_SYSTEM': 'CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM',
}

# NVTX has no versions of these; the numbers are those of its tables, and of the wire's payloads
NVTX_STRUCTS = {
    'td_nvtx_attributes': ('nvtxEventAttributes_v2', {'version': 'version', 'size': 'size', 'category': 'category', 'payload_type': 'payloadType',
                                                      'payload': 'payload', 'message_type': 'messageType', 'message': 'message'}),
    'td_nvtx_callbacks': ('NvtxExportTableCallbacks', {'size': 'struct_size', 'get_places': 'GetModuleFunctionTable'}),
    'td_nvtx_version': ('NvtxExportTableVersionInfo', {'size': 'struct_size', 'version': 'version', 'set_version': 'SetInjectionNvtxVersion'}),
}
NVTX_NUMBERS = {
    'TD_NVTX_TABLE_CALLBACKS': 'NVTX_ETID_CALLBACKS', 'TD_NVTX_TABLE_VERSION': 'NVTX_ETID_VERSIONINFO', 'TD_NVTX_VERSION': 'NVTX_VERSION',
    'TD_NVTX_CORE': 'NVTX_CB_MODULE_CORE', 'TD_NVTX_CORE2': 'NVTX_CB_MODULE_CORE2',
    'TD_NVTX_ASCII': 'NVTX_MESSAGE_TYPE_ASCII', 'TD_NVTX_UNICODE': 'NVTX_MESSAGE_TYPE_UNICODE', 'TD_NVTX_REGISTERED': 'NVTX_MESSAGE_TYPE_REGISTERED',
    'TD_WIRE_NVTX_U64': 'NVTX_PAYLOAD_TYPE_UNSIGNED_INT64', 'TD_WIRE_NVTX_I64': 'NVTX_PAYLOAD_TYPE_INT64', 'TD_WIRE_NVTX_DOUBLE': 'NVTX_PAYLOAD_TYPE_DOUBLE',
    'TD_WIRE_NVTX_U32': 'NVTX_PAYLOAD_TYPE_UNSIGNED_INT32', 'TD_WIRE_NVTX_I32': 'NVTX_PAYLOAD_TYPE_INT32', 'TD_WIRE_NVTX_FLOAT': 'NVTX_PAYLOAD_TYPE_FLOAT',
    **{f'TD_NVTX_{own}': f'NVTX_CBID_CORE_{theirs}' for own, theirs in {
        'MARK_EX': 'MarkEx', 'MARK_A': 'MarkA', 'MARK_W': 'MarkW', 'RANGE_START_EX': 'RangeStartEx', 'RANGE_START_A': 'RangeStartA',
        'RANGE_START_W': 'RangeStartW', 'RANGE_END': 'RangeEnd', 'RANGE_PUSH_EX': 'RangePushEx', 'RANGE_PUSH_A': 'RangePushA',
        'RANGE_PUSH_W': 'RangePushW', 'RANGE_POP': 'RangePop', 'NAME_CATEGORY_A': 'NameCategoryA', 'NAME_CATEGORY_W': 'NameCategoryW',
        'NAME_THREAD_A': 'NameOsThreadA', 'NAME_THREAD_W': 'NameOsThreadW'}.items()},
    **{f'TD_NVTX_DOMAIN_{own}': f'NVTX_CBID_CORE2_Domain{theirs}' for own, theirs in {
        'MARK_EX': 'MarkEx', 'RANGE_START_EX': 'RangeStartEx', 'RANGE_END': 'RangeEnd', 'RANGE_PUSH_EX': 'RangePushEx', 'RANGE_POP': 'RangePop',
        'NAME_CATEGORY_A': 'NameCategoryA', 'NAME_CATEGORY_W': 'NameCategoryW', 'REGISTER_STRING_A': 'RegisterStringA',
        'REGISTER_STRING_W': 'RegisterStringW', 'CREATE_A': 'CreateA', 'CREATE_W': 'CreateW'}.items()},
}


def headers():
    found = sorted(glob.glob('/usr/local/cuda*/include/cupti.h') + glob.glob('/usr/local/cuda*/extras/CUPTI/include/cupti.h'))
    return Path(found[-1]).parent if found else None


def program(include):
    """Structs that these headers do not have are left out."""
    text = ''.join(path.read_text(errors='replace') for path in include.glob('cupti*.h'))
    lines = []
    for own, (theirs, members) in STRUCTS.items():
        for struct in theirs:
            if f'}} {struct};' in text:
                lines.append(f'printf("%-50s %4zu bytes, of which we know %zu\\n", "{struct}", sizeof({struct}), sizeof(struct {own}));')
                lines.append(f'wrong |= sizeof({struct}) < sizeof(struct {own});')
                lines += [f'check("{struct}.{theirs_member}", offsetof(struct {own}, {member}), offsetof({struct}, {theirs_member}));'
                          for member, theirs_member in members.items()]
    lines += [f'check("{theirs}", {own}, {theirs});' for own, theirs in NUMBERS.items()]
    nvtx = ''
    if (include / 'nvtx3').is_dir():
        nvtx = '#include <nvtx3/nvToolsExt.h>\n#include "collector/cuda/nvtx_abi.h"\n#include "schema/wire.h"\n'
        lines += [f'check("{theirs}.{theirs_member}", offsetof(struct {own}, {member}), offsetof({theirs}, {theirs_member}));'
                  for own, (theirs, members) in NVTX_STRUCTS.items() for member, theirs_member in members.items()]
        lines += [f'check("{theirs}", {own}, {theirs});' for own, theirs in NVTX_NUMBERS.items()]
    return ('#include <stdio.h>\n#include <cupti.h>\n#include "collector/cuda/cupti_abi.h"\n' + nvtx + 'static int wrong;\n'
            'static void check(const char *what, long own, long theirs)\n{\n'
            'printf("%-50s %4ld %s\\n", what, theirs, own == theirs ? "ok" : "WRONG");\nwrong |= own != theirs;\n}\n'
            'int main(void)\n{\n' + '\n'.join(lines) + '\nreturn wrong;\n}\n')


def main(root, include=None):
    include = Path(include) if include else headers()
    if not include:
        print('no headers of CUPTI')
        return 77
    with tempfile.TemporaryDirectory() as folder:
        exe = Path(folder) / 'offsets'
        subprocess.run(['gcc', '-I', include, '-I', root, '-x', 'c', '-', '-o', exe], input=program(include), text=True, check=True)
        return subprocess.run([exe], check=False).returncode


sys.exit(main(*sys.argv[1:]))
