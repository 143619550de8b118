import { existsSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { dockerfile, type Stage, said, variablesOf } from '../../.ci/dockerfile.ts'
import { loadConfig } from '../../src/base/config/load.ts'
import type { Config } from '../../src/base/config/resolve.ts'
import { rows } from '../../src/base/config/rows.ts'
import { type Duration, milliseconds } from '../../src/base/lib/clock.ts'
import { top } from '../arch/sources.ts'
import { configOf } from '../config/config.ts'
import { rules } from '../dashboards/files.ts'
import { daemonIn, type Resource } from './kubernetes.ts'
import { unitEnvironment, unitValues } from './systemd.ts'

interface Service {
  readonly image: string
  readonly environment?: Readonly<Record<string, string>>
  readonly env_file?: readonly { readonly path: string; readonly required: boolean }[]
  readonly ports?: readonly string[]
  readonly volumes?: readonly string[]
  readonly labels?: Readonly<Record<string, string>>
  readonly mem_limit?: string
  readonly read_only?: boolean
  readonly cap_drop?: readonly string[]
  readonly stop_grace_period?: Duration
}

type Variables = Readonly<Record<string, string>>

const yaml = (path: string) => parse(readFileSync(join(top, path), 'utf8'))
const services: Readonly<Record<string, Service>> = yaml('compose.yaml').services
const daemon = services['bft-scan-proxy'] as Service
const stages = dockerfile()
const image = stages.at(-1) as Stage
const imageEnv = variablesOf(image)
const overlays = 'deploy/kubernetes/overlays'
const standalone: Resource = yaml(`${overlays}/standalone/deployment.yaml`)
const sidecar: Resource = yaml('deploy/kubernetes/splice/sidecar/sidecar.yaml')
const configMap: readonly string[] = yaml('deploy/kubernetes/base/kustomization.yaml').configMapGenerator[0]
  .literals
const given = Object.fromEntries(configMap.map((literal) => literal.split('=') as [string, string]))
const { version, devDependencies } = JSON.parse(readFileSync(join(top, 'package.json'), 'utf8'))

const defaults = configOf({})
const ports = { http: defaults.http.port, operations: defaults.operations.port }

const knownVariables = new Set([
  ...(readFileSync(join(top, 'config/custom-environment-variables.yaml'), 'utf8').match(/[A-Z][A-Z_]+\b/g) ??
    []),
  'NODE_ENV',
  'NODE_CONFIG_DIR',
  'NODE_COMPILE_CACHE',
])

function loaded(env: Variables, ofImage: Variables = imageEnv): Config {
  const result = loadConfig({ env: { ...ofImage, ...env }, cwd: tmpdir() })
  if (!result.ok) throw new Error(result.problems.join('\n'))
  return result.config
}

function composed(variables: Variables): Record<string, string> {
  const filled = Object.entries(daemon.environment ?? {}).map(([name, value]) => [
    name,
    interpolated(value, variables),
  ])
  return Object.fromEntries(filled)
}

/** Replaces `${NAME:-default}` and `${NAME:?problem}` as compose does, the innermost first. */
function interpolated(text: string, variables: Variables): string {
  const found = /\$\{(\w+):([-?])([^${}]*)\}/.exec(text)
  if (found === null) return text
  const [whole, name = '', operator, rest = ''] = found
  const value = variables[name] || (operator === '-' ? rest : missing(rest))
  return interpolated(
    text.replace(whole, () => value),
    variables,
  )
}

/** A `:?` without a value becomes a text and throws nothing, because compose fails only if it uses the value. */
function missing(problem: string): string {
  return `missing: ${problem}`
}

test.each([
  ['Dockerfile', Object.keys(imageEnv).filter((name) => !name.startsWith('MALLOC_'))],
  ['compose.yaml', Object.keys(daemon.environment ?? {})],
  ['the config map', Object.keys(given)],
  ['the container of Kubernetes', daemonIn(standalone).env.map(({ name }) => name)],
  ['the service of systemd', Object.keys(unitEnvironment())],
])('%s sets only variables that the configuration knows', (_, names) => {
  expect(names.length).toBeGreaterThan(1)
  expect(names.filter((name) => !knownVariables.has(name))).toEqual([])
})

test.each([
  ['compose.yaml on MainNet', composed({ NETWORK: 'mainnet' }), 'remote'],
  ['compose.yaml on a localnet', composed({ NETWORK: 'localnet' }), 'localnet'],
  ['Kubernetes', given, 'remote'],
])('%s makes a configuration that starts, and listens everywhere', (_, env, network) => {
  const { http, operations, ...config } = loaded(env)
  expect(config.network).toBe(network)
  expect([http.host, http.port, operations.host, operations.port]).toEqual([
    '0.0.0.0',
    ports.http,
    '0.0.0.0',
    ports.operations,
  ])
})

test('the service of systemd makes a configuration that starts, and listens on this machine alone', () => {
  const { network, http, operations } = loaded(unitEnvironment(), {})
  expect(network).toBe('remote')
  expect([http.host, operations.host]).toEqual(['127.0.0.1', '127.0.0.1'])
})

test.each([
  ['alone', standalone],
  ['in the pod of a validator', sidecar],
])('on Kubernetes, %s, hosts in the ConfigMap close the addresses of the daemon', (_, deployment) => {
  const ofContainer = Object.fromEntries(daemonIn(deployment).env.map(({ name, value }) => [name, value]))
  const own = { HTTP_HOST: '127.0.0.1', OPERATIONS_HOST: '127.0.0.1' }
  const { http, operations } = loaded({ ...given, ...own, ...ofContainer })
  expect([http.host, operations.host]).toEqual(['127.0.0.1', '127.0.0.1'])
})

test.each([
  ['compose.yaml', composed({ NETWORK: 'mainnet' })],
  ['the config map', given],
  ['the service of systemd', unitEnvironment()],
])('%s sets no option that reloads, because its variable would hide a change of a file', (_, variables) => {
  const options = rows.flatMap((row) => (row.at === 'option' ? [row] : []))
  const hidden = options.filter(({ env, reloads }) => reloads === true && (variables[env ?? ''] ?? '') !== '')
  expect(hidden.map(({ path }) => path.join('.'))).toEqual([])
})

describe('where no network is chosen', () => {
  test('the image says which option is missing', () => {
    const result = loadConfig({ env: imageEnv, cwd: tmpdir() })
    expect(result).toMatchObject({
      ok: false,
      problems: [
        expect.stringMatching(/^network must be set where NODE_ENV or NODE_CONFIG_ENV is production: /),
      ],
    })
  })

  test('compose starts nothing, and says what to set', () => {
    const network = (variables: Variables) =>
      interpolated(daemon.labels?.['bft-scan-proxy.network'] ?? '', variables)
    expect(network({})).toBe('missing: choose a network, such as NETWORK=mainnet')
    expect(network({ NETWORK: 'mainnet' })).toBe('mainnet')
  })
})

describe('ports are those of the configuration', () => {
  test('in the Dockerfile', () => {
    expect(said(image, 'EXPOSE')).toEqual([`${ports.http} ${ports.operations}`])
    expect(said(image, 'HEALTHCHECK')[0]).toContain(`\${OPERATIONS_PORT:-${ports.operations}}`)
  })

  test('in compose.yaml, operations for this machine alone', () => {
    expect(daemon.ports).toEqual([
      `${ports.http}:${ports.http}`,
      `127.0.0.1:${ports.operations}:${ports.operations}`,
    ])
    const [scraped] = yaml('deploy/prometheus/prometheus.yaml').scrape_configs
    expect(scraped.static_configs).toEqual([{ targets: [`bft-scan-proxy:${ports.operations}`] }])
  })

  test('on Kubernetes', () => {
    const container = daemonIn(standalone)
    expect(Object.fromEntries(container.ports.map((port) => [port.name, port.containerPort]))).toEqual(ports)
    expect(container.env).toContainEqual({ name: 'HTTP_PORT', value: String(ports.http) })
    expect(container.env).toContainEqual({ name: 'OPERATIONS_PORT', value: String(ports.operations) })
    const service: Resource = yaml('deploy/kubernetes/base/service.yaml')
    const served = service.spec.ports.map((port: { name: string; port: number }) => [port.name, port.port])
    expect(Object.fromEntries(served)).toEqual(ports)
  })
})

test('images have exact versions, and that of the daemon has its own', () => {
  expect(stages.map(({ base }) => base)).toEqual(Array(2).fill(`node:${devDependencies.node.slice(1)}-slim`))
  for (const { image: name } of Object.values(services)) expect(name).toMatch(/^[\w/-]+:v?\d+\.\d+\.\d+$/)
  for (const name of [daemon.image, daemonIn(standalone).image])
    expect(name).toBe(`bft-scan-proxy:${version}`)
})

test('nothing runs as root, or writes to its root file system', () => {
  expect(said(image, 'USER')).toEqual(['node'])
  expect(daemon).toMatchObject({ read_only: true, cap_drop: ['ALL'] })
  expect(daemonIn(standalone).securityContext).toMatchObject({
    runAsNonRoot: true,
    runAsUser: 1000,
    readOnlyRootFilesystem: true,
    allowPrivilegeEscalation: false,
    capabilities: { drop: ['ALL'] },
  })
})

test('every way to stop the daemon waits for longer than a stop may take', () => {
  const { http } = loaded(given)
  const longest = http.shutdownDelayMs + http.shutdownTimeoutMs
  expect(milliseconds(daemon.stop_grace_period ?? '0s')).toBeGreaterThan(longest)
  expect(standalone.spec.template.spec.terminationGracePeriodSeconds * 1000).toBeGreaterThan(longest)
  expect(milliseconds(unitValues('TimeoutStopSec')[0] as Duration)).toBeGreaterThan(longest)
})

test('a full cache and full buffers fit into the memory that it gets, wherever it runs', () => {
  const { cache, scanClient } = loaded(given)
  const limits = [
    daemonIn(standalone).resources.limits.memory,
    daemon.mem_limit,
    unitValues('MemoryMax')[0],
  ].map((limit) => Number(/^(\d+)(?:Mi|m|M)$/.exec(limit ?? '')?.[1]))
  expect(new Set(limits).size).toBe(1)
  expect((limits[0] ?? 0) * 2 ** 20).toBeGreaterThan(2 * (cache.maxBytes + scanClient.maxBufferedBytes))
})

test('no service of compose.yaml takes all memory of the machine', () => {
  for (const [name, { mem_limit }] of Object.entries(services)) expect(mem_limit, name).toMatch(/^\d+[mg]$/)
})

test('the sidecar is the container that also stands alone, but for its readiness', () => {
  const { readinessProbe, ...container } = daemonIn(standalone)
  expect(readinessProbe).toBeDefined()
  expect(daemonIn(sidecar)).toEqual(container)
})

describe('the roster file is in a folder that the daemon may write', () => {
  const folder = '/var/lib/bft-scan-proxy'
  const rosterFile = (config: Config) => config.scanClient.rosterFile

  test('in the image, where the folder belongs to its user', () => {
    expect(said(image, 'COPY')).toContain(`--from=build --chown=node:node /app/state ${folder}`)
  })

  test('in compose.yaml, on a volume', () => {
    expect(rosterFile(loaded(composed({ NETWORK: 'localnet' })))).toBe(`${folder}/roster.json`)
    expect(daemon.volumes).toContain(`roster:${folder}`)
    expect(Object.keys(yaml('compose.yaml').volumes)).toContain('roster')
  })

  test.each([
    ['alone', standalone],
    ['in the pod of a validator', sidecar],
  ])('on Kubernetes, %s, on a volume of the pod', (_, { spec }) => {
    expect(rosterFile(loaded(given))).toBe(`${folder}/roster.json`)
    const { containers, volumes } = spec.template.spec
    expect(containers[0].volumeMounts).toEqual([{ name: volumes[0].name, mountPath: folder }])
    expect(volumes[0].emptyDir).toBeDefined()
  })

  test('as a service of systemd, in its state directory', () => {
    expect(rosterFile(loaded(unitEnvironment(), {}))).toBe(`${folder}/roster.json`)
    expect(unitValues('StateDirectory')).toEqual([folder.replace('/var/lib/', '')])
  })
})

test('compose.yaml gives the daemon every variable of .env, and a folder of files that reload', () => {
  expect(daemon.env_file).toEqual([{ path: '.env', required: false }])
  const { NODE_CONFIG_DIR: folder, ...env } = composed({ NETWORK: 'mainnet' })
  expect(daemon.volumes).toContain(`./deploy/compose:${folder}:ro`)
  const NODE_CONFIG_DIR = join(top, 'deploy/compose')
  const { files, warnings } = loadConfig({ env: { ...imageEnv, ...env, NODE_CONFIG_DIR }, cwd: tmpdir() })
  expect(files.at(-1)).toBe(join(NODE_CONFIG_DIR, 'local.yaml'))
  expect(warnings.filter((warning) => /NODE_CONFIG_DIR|deploy/.test(warning))).toEqual([])
  expect(Object.keys(yaml('deploy/compose/local.yaml'))).toEqual(['logLevel'])
})

test('every file that compose.yaml mounts exists, and Grafana finds its dashboards', () => {
  const mounts = Object.values(services).flatMap(({ volumes = [] }) => volumes.map((line) => line.split(':')))
  const folders = mounts.filter(([from = '']) => from.startsWith('./'))
  expect(folders.length).toBe(6)
  for (const [from = ''] of folders) expect(existsSync(join(top, from)), from).toBe(true)
  const [provider] = yaml('deploy/grafana/provisioning/dashboards/bft-scan-proxy.yaml').providers
  expect(folders).toContainEqual(['./dashboards', provider.options.path, 'ro'])
  const [alerts] = yaml('deploy/prometheus/prometheus.yaml').rule_files
  expect(folders).toContainEqual(['./dashboards/alerts.yaml', alerts, 'ro'])
})

test('Prometheus sends its alerts to the Alertmanager of compose.yaml, which knows each of them', () => {
  const [{ static_configs }] = yaml('deploy/prometheus/prometheus.yaml').alerting.alertmanagers
  expect(static_configs).toEqual([{ targets: ['alertmanager:9093'] }])
  expect(services['alertmanager']?.ports).toEqual(['127.0.0.1:9093:9093'])
  const { inhibit_rules } = yaml('deploy/alertmanager/alertmanager.yaml')
  const named: string[] = JSON.stringify(inhibit_rules).match(/ScanProxy\w+/g) ?? []
  const alerts = rules.map(({ alert }) => alert)
  expect(named.length).toBeGreaterThan(0)
  expect(named.filter((name) => !alerts.includes(name))).toEqual([])
})

test('every file of the overlay in docs/deploying.md is shown beside it, with options that reload', () => {
  const page = readFileSync(join(top, 'docs/deploying.md'), 'utf8')
  const shown = (file: string) =>
    new RegExp(`\`\`\`yaml\n# my-daemons/${file}\n([^\`]+)\`\`\``).exec(page)?.[1] ?? ''
  const { configMapGenerator } = parse(shown('kustomization.yaml'))
  const files: string[] = configMapGenerator.flatMap(({ files = [] }: { files?: string[] }) => files)
  expect(files).toEqual(['local.yaml'])
  expect(Object.keys(parse(shown('local.yaml')) ?? {})).toEqual(['logLevel'])
})
