import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, test } from 'vitest'
import { top } from '../arch/sources.ts'
import { freePort } from '../support/free-port.ts'
import { printed } from './commands.ts'

const config = join(top, 'deploy/alertmanager/alertmanager.yaml')

interface Alert {
  readonly labels: Readonly<Record<string, string>>
  readonly receivers: readonly { readonly name: string }[]
  readonly status: { readonly inhibitedBy: readonly string[] }
}

async function startAlertmanager(): Promise<AsyncDisposable & { readonly url: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'alertmanager-'))
  const address = `127.0.0.1:${await freePort()}`
  // In Debian's package, the program has a longer name.
  const program = existsSync('/usr/bin/prometheus-alertmanager') ? 'prometheus-alertmanager' : 'alertmanager'
  const args = [
    `--config.file=${config}`,
    `--storage.path=${folder}`,
    `--web.listen-address=${address}`,
    '--cluster.listen-address=',
  ]
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'] })
  const ended = once(child, 'close')
  const ready = Promise.withResolvers<void>()
  child.once('error', ready.reject)
  createInterface(child.stderr).on('line', (line) => {
    if (/listening on/i.test(line)) ready.resolve()
  })
  void ended.then(() => ready.reject(new Error(`${program} ended`)))
  await ready.promise
  return {
    url: `http://${address}/api/v2/alerts`,
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM')
      await ended
      await rm(folder, { recursive: true, force: true })
    },
  }
}

test('Alertmanager takes the configuration without a warning', async () => {
  expect(await printed('amtool', ['check-config', config])).toContain('SUCCESS')
})

test('Prometheus takes its configuration without a warning', async () => {
  const file = join(top, 'deploy/prometheus/prometheus.yaml')
  expect(await printed('promtool', ['check', 'config', '--syntax-only', file])).toContain('SUCCESS')
})

test('a lost quorum is sent to the people on call, and silences the alerts that follow from it', async () => {
  await using alertmanager = await startAlertmanager()
  const alerts = [
    { alertname: 'ScanProxyQuorumLost', severity: 'page', job: 'a', count: 'super_validators' },
    { alertname: 'ScanProxyQuorumMarginLow', severity: 'ticket', job: 'a', count: 'super_validators' },
    { alertname: 'ScanProxyQuorumMarginLow', severity: 'ticket', job: 'b', count: 'super_validators' },
    { alertname: 'ScanProxyRedisDown', severity: 'ticket', job: 'a' },
  ]
  const posted = await fetch(alertmanager.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(alerts.map((labels) => ({ labels }))),
  })
  expect(posted.status).toBe(200)
  const known = async () => {
    const all = (await (await fetch(alertmanager.url)).json()) as Alert[]
    return all
      .map(({ labels, receivers, status }) => {
        const state = status.inhibitedBy.length > 0 ? 'silenced' : 'sent'
        return `${labels['alertname']} of ${labels['job']}: ${state} to ${receivers[0]?.name}`
      })
      .toSorted()
  }
  await expect
    .poll(known, { timeout: 30_000 })
    .toEqual([
      'ScanProxyQuorumLost of a: sent to page',
      'ScanProxyQuorumMarginLow of a: silenced to ticket',
      'ScanProxyQuorumMarginLow of b: sent to ticket',
      'ScanProxyRedisDown of a: sent to ticket',
    ])
})
