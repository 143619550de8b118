import { describe, expect, test } from 'vitest'
import { stringify } from 'yaml'
import { written } from '../config/config.ts'
import { ask } from '../localnet/ask.ts'
import { Scans } from '../support/scans.ts'
import { startConfigured } from './configured-daemon.ts'

type Values = Readonly<Record<string, unknown>>

describe('SIGHUP:', () => {
  test('operators count at once, and the log level changes, and options that need a restart are named', async () => {
    const { ask, reload, daemon } = await startConfigured({})
    const before = daemon.lines.length
    await reload({
      logLevel: 'debug',
      'scanClient.operators': { acme: ['sv-1', 'sv-2', 'sv-3'] },
      'scanClient.fanout': 'all',
    })
    expect(await daemon.said('options have changed that apply only after a restart')).toMatchObject({
      options: ['scanClient.fanout'],
    })
    const { headers } = await ask()
    expect(headers['x-bft-quorum']).toContain('operator-voters=5')
    const answered = await daemon.said('a request was answered', before)
    expect(answered).toMatchObject({ status: 200, requestId: headers['x-request-id'] })
  })

  test('changes of trust are in the log even if the same reload makes the log quieter', async () => {
    const { reload, daemon } = await startConfigured({})
    const quiet = { logLevel: 'warn', 'scanClient.threshold': '2f+1' }
    const { level, changed } = await reload(quiet)
    expect(level).toBe('warn')
    expect(changed).toEqual(['logLevel is warn, was info', 'scanClient.threshold is 2f+1, was f+1'])
    expect((await reload({ ...quiet, logLevel: 'info' }))['level']).toBe('info')
    expect((await reload({ ...quiet, logLevel: 'error' }))['changed']).toEqual([
      'logLevel is error, was info',
    ])
    daemon.signal('SIGTERM')
    await daemon.ended
    expect(daemon.lines.map(({ msg }) => msg)).not.toContain('shutting down')
  })

  test('the log says which roster applies after each of two reloads', async () => {
    const { reload, daemon } = await startConfigured({})
    for (const [threshold, number] of [
      ['2f+1', 5],
      ['f+1', 3],
    ]) {
      const before = daemon.lines.length
      await reload({ 'scanClient.threshold': threshold })
      expect(await daemon.said('roster taken', before)).toMatchObject({ threshold: number })
    }
  })

  test('a log level that an operator set stays until the configuration has another one', async () => {
    const admin = { 'operations.admin': true }
    const { reload, daemon, ask: get } = await startConfigured(admin)
    const { operations } = await daemon.listening()
    await ask(operations, '/admin/log-level', { method: 'PUT', body: '{"level":"debug"}' })
    await reload({ ...admin, 'scanClient.threshold': '2f+1' })
    const before = daemon.lines.length
    await get()
    await daemon.said('a request was answered', before)
    await reload({ ...admin, 'scanClient.threshold': '2f+1', logLevel: 'warn' })
    const after = daemon.lines.length
    await get()
    expect(daemon.lines.slice(after)).toEqual([])
  })

  test('a threshold or a least number above the roster in force is a problem, and everything stays as it is', async () => {
    await using scans = await Scans.listen('a', 'b', 'c', 'd')
    const values = {
      network: 'remote',
      'scanClient.seedUrls': scans.urls,
      'scanClient.allowHttp': true,
      'scanClient.allowPrivate': true,
    }
    const { ask, reload, failToReload } = await startConfigured(values, {})
    const tooHigh = (thresholds: Values) => failToReload(stringify(written({ ...values, ...thresholds })))
    expect((await ask()).headers['x-bft-quorum']).toContain('agreed=2, threshold=2')
    const line = await tooHigh({
      'scanClient.threshold': 5,
      'scanClient.thresholds.getAnsRules': 6,
      'scanClient.minimumVoters': 7,
    })
    expect(line['problems']).toEqual([
      'scanClient.threshold must be at most the number of votes in the roster, 4, not 5',
      'scanClient.thresholds.getAnsRules must be at most the number of votes in the roster, 4, not 6',
      'scanClient.minimumVoters must be at most the number of super validators in the roster, 4, not 7',
    ])
    expect(await tooHigh({ 'scanClient.minimumVoters': 5 })).toMatchObject({
      problems: [
        'scanClient.minimumVoters must be at most the number of super validators in the roster, 4, not 5',
      ],
    })
    expect((await ask()).headers['cache-status']).toContain('hit')
    await reload({ ...values, 'scanClient.threshold': 4 })
    expect((await ask()).headers['x-bft-quorum']).toContain('threshold=4')
  })
})
