#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the driver of this machine answers to the questions that 'record --gpu' asks, function by function, through ctypes and with
structures written down once more: the truth about layouts and units, beside what a recording then says of the same.

usage: nvml.py TRACEDB FOLDER       exit 77 where there is no GPU"""
import ctypes
import os
import sqlite3
import subprocess
import sys
from pathlib import Path

FIELDS = {
    **{82: 'memory temperature', 197: 'PCIe sent', 198: 'PCIe received', 138: 'NVLink data sent, all links, KiB', 139: 'NVLink data received'},
    **{140: 'NVLink raw sent', 141: 'NVLink raw received', 160: 'replays', 148: 'NVLink link 0 speed', 149: 'of the GPU'},
    **{3: 'ECC corrected, volatile', 4: 'ECC uncorrected, volatile', 5: 'ECC corrected, aggregate', 6: 'ECC uncorrected, aggregate'},
    **{29: 'retired pages, single bit', 30: 'double bit', 31: 'pending', 142: 'remapped rows corrected', 143: 'uncorrected', 144: 'pending', 145: 'failed'},
}


class Field(ctypes.Structure):
    _fields_ = [('id', ctypes.c_uint), ('scope', ctypes.c_uint), ('time_us', ctypes.c_longlong), ('latency_us', ctypes.c_longlong),
                ('type', ctypes.c_int), ('error', ctypes.c_int), ('value', ctypes.c_ulonglong)]


def ask(nvml, name, *args):
    f = getattr(nvml, name, None)
    return f(*args) if f else 'not there'


def number(nvml, name, device, *args, ctype=ctypes.c_uint):
    value = ctype(0xffffffff)
    return ask(nvml, name, device, *args, ctypes.byref(value)), value.value


def pair(nvml, name, device):
    a, b = ctypes.c_uint(99), ctypes.c_uint(99)
    return ask(nvml, name, device, ctypes.byref(a), ctypes.byref(b)), a.value, b.value


def answers(nvml, device):
    long = ctypes.c_ulonglong
    for name, args, ctype in (
            ('nvmlDeviceGetCurrentClocksThrottleReasons', (), long), ('nvmlDeviceGetCurrentClocksEventReasons', (), long),
            ('nvmlDeviceGetSupportedClocksThrottleReasons', (), long), ('nvmlDeviceGetSupportedClocksEventReasons', (), long),
            ('nvmlDeviceGetTotalEccErrors', (0, 0), long), ('nvmlDeviceGetTotalEccErrors', (1, 0), long), ('nvmlDeviceGetTotalEccErrors', (1, 1), long),
            ('nvmlDeviceGetSupportedEventTypes', (), long), ('nvmlDeviceGetVirtualizationMode', (), ctypes.c_uint),
            ('nvmlDeviceGetMaxMigDeviceCount', (), ctypes.c_uint), ('nvmlDeviceIsMigDeviceHandle', (), ctypes.c_uint),
            ('nvmlDeviceGetNvLinkState', (0,), ctypes.c_uint), ('nvmlDeviceGetPowerManagementLimit', (), ctypes.c_uint),
            ('nvmlDeviceGetEnforcedPowerLimit', (), ctypes.c_uint)):
        error, value = number(nvml, name, device, *args, ctype=ctype)
        print(f'answer  {name}{args}: {error}, {value:#x} = {value}')
    for name in ('nvmlDeviceGetMigMode', 'nvmlDeviceGetEccMode'):
        print(f'answer  {name}: {pair(nvml, name, device)}')
    for number_, what in FIELDS.items():
        field = Field(id=number_, scope=0xffffffff if number_ in (138, 139, 140, 141) else 0)
        error = ask(nvml, 'nvmlDeviceGetFieldValues', device, 1, ctypes.byref(field))
        print(f'answer  field {number_}, {what}: {error}, {field.error}, type {field.type}, {field.value}')
    events = ctypes.c_void_p()
    print('answer  nvmlEventSetCreate:', ask(nvml, 'nvmlEventSetCreate', ctypes.byref(events)))
    for types in (8, 8 | 1 | 2, 1):
        print(f'answer  nvmlDeviceRegisterEvents({types}):', ask(nvml, 'nvmlDeviceRegisterEvents', device, ctypes.c_ulonglong(types), events))
    data = (ctypes.c_ulonglong * 8)()
    print('answer  nvmlEventSetWait_v2(0 ms):', ask(nvml, 'nvmlEventSetWait_v2', events, ctypes.byref(data), 0))


def recorded(tracedb, folder):
    db = folder / 'nvml.db'
    work = 'import torch, time\na = torch.randn(4096, 4096, device="cuda")\nend = time.time() + 4\nwhile time.time() < end: (a @ a).sum().item()'
    done = subprocess.run([tracedb, 'record', '--gpu', '-e', 'thread', '-o', db, '--force', '--', 'python3', '-c', work], check=False)
    if done.returncode:
        print('facts   tracedb record does not work here')
        return
    con = sqlite3.connect(db)
    for row in con.execute("SELECT t.name, t.unit, count(s.value), min(s.value), avg(s.value), max(s.value) FROM track AS t JOIN sample AS s ON s.track_id = t.id "
                           "WHERE t.process_id IS NULL GROUP BY t.id ORDER BY t.name"):
        print('track  ', *row)
    for row in con.execute("SELECT kind, text FROM issue ORDER BY kind"):
        print('issue  ', *row)
    for row in con.execute("SELECT n.text, m.value FROM mark AS m JOIN string AS n ON n.id = m.name_id WHERE n.text LIKE 'gpu%'"):
        print('mark   ', *row)


def main(tracedb, folder):
    if not os.path.exists('/dev/nvidiactl'):
        print('no GPU on this machine')
        return 77
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    nvml = ctypes.CDLL('libnvidia-ml.so.1')
    device = ctypes.c_void_p()
    print('answer  nvmlInit_v2:', nvml.nvmlInit_v2(), 'handle:', nvml.nvmlDeviceGetHandleByIndex_v2(0, ctypes.byref(device)))
    answers(nvml, device)
    recorded(tracedb, folder)
    return 0


sys.exit(main(*sys.argv[1:]))
