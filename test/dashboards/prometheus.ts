import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { stringify } from 'yaml'
import { freePort } from '../support/free-port.ts'

export interface PrometheusOptions {
  readonly jobs: Readonly<Record<string, string>>
  readonly rules: object
  readonly interval: string
  readonly alertmanager: string
}

export interface Prometheus extends AsyncDisposable {
  countOf(expr: string): Promise<number>
}

export async function startPrometheus(options: PrometheusOptions): Promise<Prometheus> {
  const folder = await mkdtemp(join(tmpdir(), 'prometheus-'))
  await writeFile(join(folder, 'rules.yaml'), stringify(options.rules))
  await writeFile(join(folder, 'prometheus.yaml'), stringify(configOf(options)))
  const address = `127.0.0.1:${await freePort()}`
  const args = [
    `--config.file=${join(folder, 'prometheus.yaml')}`,
    `--storage.tsdb.path=${join(folder, 'data')}`,
    `--web.listen-address=${address}`,
    '--query.lookback-delta=5s',
    '--rules.alert.resend-delay=1s',
  ]
  const child = spawn('prometheus', args, { stdio: ['ignore', 'ignore', 'pipe'] })
  const ended = once(child, 'close')
  const ready = Promise.withResolvers<void>()
  child.once('error', () =>
    ready.reject(new Error('This needs Prometheus: install it with "sudo apt-get install prometheus".')),
  )
  const said: string[] = []
  createInterface(child.stderr).on('line', (line) => {
    said.push(line)
    if (line.includes('Server is ready')) ready.resolve()
  })
  void ended.then(() => ready.reject(new Error(`prometheus ended: ${said.slice(-5).join('; ')}`)))
  await ready.promise
  return {
    async countOf(expr) {
      const response = await fetch(`http://${address}/api/v1/query`, {
        method: 'POST',
        body: new URLSearchParams({ query: expr }),
      })
      const answer = (await response.json()) as { error?: string; data?: { result: unknown[] } }
      if (answer.data === undefined) throw new Error(`${expr}: ${answer.error}`)
      return answer.data.result.length
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM')
      await ended
      await rm(folder, { recursive: true, force: true })
    },
  }
}

function configOf({ jobs, interval, alertmanager }: PrometheusOptions): object {
  return {
    global: { scrape_interval: interval, scrape_timeout: interval, evaluation_interval: interval },
    rule_files: ['rules.yaml'],
    alerting: { alertmanagers: [{ static_configs: [{ targets: [new URL(alertmanager).host] }] }] },
    scrape_configs: Object.entries(jobs).map(([job, url]) => ({
      job_name: job,
      static_configs: [{ targets: [new URL(url).host] }],
    })),
  }
}
