#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Own declarations of CUPTI's records (collector/cuda/cupti_abi.h) against the headers of a toolkit: every offset, every number that is
used. Exit 77 where there are no headers.

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
    'td_cupti_sync': (['CUpti_ActivitySynchronization', 'CUpti_ActivitySynchronization2'],
                      {'type': 'type', 'start': 'start', 'end': 'end', 'correlation': 'correlationId', 'context': 'contextId', 'stream': 'streamId'}),
    'td_cupti_context': (['CUpti_ActivityContext', 'CUpti_ActivityContext2', 'CUpti_ActivityContext3', 'CUpti_ActivityContext4'],
                         {'context': 'contextId', 'device': 'deviceId'}),
    'td_cupti_api': (['CUpti_ActivityAPI'], {'function': 'cbid', 'start': 'start', 'end': 'end', 'tid': 'threadId', 'correlation': 'correlationId',
                                             'result': 'returnValue'}),
}
NUMBERS = {
    'TD_CUPTI_MAX_LIMIT_REACHED': 'CUPTI_ERROR_MAX_LIMIT_REACHED',
    'TD_CUPTI_MULTIPLE_SUBSCRIBERS': 'CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED',
    'TD_CUPTI_MEMCPY': 'CUPTI_ACTIVITY_KIND_MEMCPY', 'TD_CUPTI_MEMSET': 'CUPTI_ACTIVITY_KIND_MEMSET',
    'TD_CUPTI_DRIVER': 'CUPTI_ACTIVITY_KIND_DRIVER', 'TD_CUPTI_RUNTIME': 'CUPTI_ACTIVITY_KIND_RUNTIME',
    'TD_CUPTI_CONTEXT': 'CUPTI_ACTIVITY_KIND_CONTEXT', 'TD_CUPTI_KERNEL': 'CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL', 'TD_CUPTI_MEMCPY2': 'CUPTI_ACTIVITY_KIND_MEMCPY2',
    'TD_CUPTI_SYNC': 'CUPTI_ACTIVITY_KIND_SYNCHRONIZATION', 'TD_CUPTI_DOMAIN_DRIVER': 'CUPTI_CB_DOMAIN_DRIVER_API',
    'TD_CUPTI_DOMAIN_RUNTIME': 'CUPTI_CB_DOMAIN_RUNTIME_API', 'TD_CUPTI_FLUSH_FORCED': 'CUPTI_ACTIVITY_FLAG_FLUSH_FORCED',
    'TD_CUPTI_THREAD_ID_SYSTEM': 'CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM',
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
                lines += [f'check("{struct}.{theirs_member}", offsetof(struct {own}, {member}), offsetof({struct}, {theirs_member}));'
                          for member, theirs_member in members.items()]
    lines += [f'check("{theirs}", {own}, {theirs});' for own, theirs in NUMBERS.items()]
    return ('#include <stdio.h>\n#include <cupti.h>\n#include "collector/cuda/cupti_abi.h"\nstatic int wrong;\n'
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
