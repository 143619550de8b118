import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { exitCodes } from '../../src/cli/exit-codes.ts'
import { top } from '../arch/sources.ts'
import { unitFile, unitValues } from './systemd.ts'

const { bin } = JSON.parse(readFileSync(join(top, 'package.json'), 'utf8'))

describe('the service of systemd', () => {
  test('reloads by SIGHUP, and starts by the name that the package installs', () => {
    expect(unitValues('ExecReload')).toEqual(['/bin/kill -HUP $MAINPID'])
    expect(unitValues('ExecStart')).toEqual([`/usr/bin/env ${Object.keys(bin)[0]} serve`])
    expect(unitValues('Type')).toEqual(['exec'])
  })

  test('starts again after a crash, and not after a mistake of its configuration or arguments', () => {
    expect(unitValues('Restart')).toEqual(['on-failure'])
    expect(unitValues('RestartPreventExitStatus')).toEqual([`${exitCodes.usage} ${exitCodes.badConfig}`])
  })

  test('lets V8 write machine code, and the ledger lower the priority of its thread', () => {
    expect(unitValues('MemoryDenyWriteExecute')).toEqual([])
    expect(unitValues('SystemCallFilter').join(' ')).not.toContain('@resources')
  })

  test('is what the command for checks before the first start runs as, with its user, folders and environment', () => {
    const page = readFileSync(join(top, 'docs/deploying.md'), 'utf8')
    const [command = ''] = page.match(/^sudo systemd-run [^`]*? sh -c '.*check-config.*'$/m) ?? []
    const properties = [...command.matchAll(/ -p (\w+)=(\S+)/g)].map(([, key = '', value = '']) => [
      key,
      value,
    ])
    const { User, ...others } = Object.fromEntries(properties)
    expect(User).toBe(basename(unitFile, '.service'))
    const shared = [
      'DynamicUser',
      'StateDirectory',
      'StateDirectoryMode',
      'EnvironmentFile',
      'WorkingDirectory',
    ]
    expect(Object.keys(others)).toEqual(expect.arrayContaining(shared))
    for (const [key, value] of Object.entries(others)) expect(unitValues(key), key).toEqual([value])
  })
})
