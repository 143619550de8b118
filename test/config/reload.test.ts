import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { stringify } from 'yaml'
import { loadConfig } from '../../src/base/config/load.ts'
import { type Reload, type RunningConfig, reload } from '../../src/base/config/reload.ts'
import { newFolder } from '../support/new-folder.ts'
import { written } from './config.ts'

function configured(values: Readonly<Record<string, unknown>>) {
  const cwd = newFolder(onTestFinished)
  const load = (next: Readonly<Record<string, unknown>>) => {
    writeFileSync(join(cwd, 'local.yaml'), stringify(written(next)))
    return loadConfig({ env: { NODE_CONFIG_DIR: cwd }, cwd })
  }
  const running = load(values)
  if (!running.ok) throw new Error(running.problems.join('\n'))
  return {
    running,
    reload: (next: Readonly<Record<string, unknown>>, from: RunningConfig = running) =>
      reload(from, load(next)),
  }
}

function reloaded(result: Reload): Extract<Reload, { kind: 'reloaded' }> {
  if (result.kind === 'kept') throw new Error(result.problems.join('\n'))
  return result
}

describe('a reload', () => {
  test('takes options that reload, and says what they are and were', () => {
    const { reload } = configured({ logLevel: 'info' })
    const { running, changed, needRestart } = reloaded(
      reload({
        logLevel: 'debug',
        'scanClient.threshold': '2f+1',
        'scanClient.thresholds.getAnsRules': '2f+1',
        'scanClient.operators': { acme: ['sv-1', 'sv-2'] },
      }),
    )
    expect(changed).toEqual([
      'logLevel is debug, was info',
      'scanClient.threshold is 2f+1, was f+1',
      'scanClient.operators is {"acme":["sv-1","sv-2"]}, was {}',
      'scanClient.thresholds.getAnsRules is 2f+1, was unset',
    ])
    expect(needRestart).toEqual([])
    expect(running.config).toMatchObject({ logLevel: 'debug', scanClient: { threshold: '2f+1' } })
  })

  test('names options that need a restart, every time, and keeps their former values', () => {
    const { reload } = configured({ 'http.shutdownDelay': '1s' })
    const values = { 'http.shutdownDelay': '2s', 'cache.maxBytes': '32MiB', logLevel: 'warn' }
    const first = reloaded(reload(values))
    expect(first.needRestart).toEqual(['http.shutdownDelay', 'cache.maxBytes'])
    expect(first.changed).toEqual(['logLevel is warn, was info'])
    expect(first.running.config.http.shutdownDelayMs).toBe(1_000)
    const second = reloaded(reload(values, first.running))
    expect(second).toMatchObject({ changed: [], needRestart: ['http.shutdownDelay', 'cache.maxBytes'] })
  })

  test('goes back to the default of an option that is not written any more', () => {
    const { reload } = configured({ 'scanClient.threshold': 2 })
    const { running, changed } = reloaded(reload({}))
    expect(changed).toEqual(['scanClient.threshold is f+1, was 2'])
    expect(running.config.scanClient.threshold).toBe('f+1')
  })

  test('takes nothing that is right only after a restart', () => {
    const { reload } = configured({ 'localnet.superValidators': 4 })
    expect(reload({ 'localnet.superValidators': 9, 'scanClient.threshold': 7 })).toMatchObject({
      kind: 'kept',
      problems: [
        'scanClient.threshold must be at most the number of voters, 4, not 7 (together with the options that apply only after a restart)',
      ],
    })
  })
})

test('an option of a file that a variable or a flag overrides is reported with the file and the override', () => {
  const cwd = newFolder(onTestFinished)
  const values = { 'scanClient.threshold': '2f+1', 'http.port': 8080, 'operations.port': 1, logLevel: 'info' }
  writeFileSync(join(cwd, 'local.yaml'), stringify(written(values)))
  const env = { NODE_CONFIG_DIR: cwd, SCAN_THRESHOLD: 'f+1', HTTP_PORT: '8080', OPERATIONS_PORT: '2' }
  expect(loadConfig({ env, cwd, flags: { 'log-level': 'warn' } }).overridden.toSorted()).toEqual([
    'logLevel in local.yaml is overridden by --log-level',
    'operations.port in local.yaml is overridden by OPERATIONS_PORT',
    'scanClient.threshold in local.yaml is overridden by SCAN_THRESHOLD',
  ])
  expect(loadConfig({ env: { NODE_CONFIG_DIR: cwd }, cwd }).overridden).toEqual([])
})
