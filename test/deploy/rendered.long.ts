import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { top } from '../arch/sources.ts'
import { dashboardsThere, rulesFile } from '../dashboards/files.ts'
import { newFolder } from '../support/new-folder.ts'
import { kustomized, printed, resourcesIn, the } from './commands.ts'
import { daemonIn, type Resource, selects } from './kubernetes.ts'

const standalone = await kustomized('deploy/kubernetes/overlays/standalone')
const settings = await kustomized('deploy/kubernetes/splice/settings')
const monitoring = await kustomized('deploy/kubernetes/monitoring')

const kindsOf = (resources: readonly Resource[]) => resources.map(({ kind }) => kind).toSorted()

describe('daemons of their own', () => {
  const deployment = the(standalone, 'Deployment')
  const { replicas, selector, template } = deployment.spec
  const container = daemonIn(deployment)

  test('render to a Deployment with what it needs', () => {
    expect(kindsOf(standalone)).toEqual([
      'ConfigMap',
      'Deployment',
      'NetworkPolicy',
      'PodDisruptionBudget',
      'Service',
    ])
  })

  test('are reached by the Service through ports that they have', () => {
    const { spec } = the(standalone, 'Service')
    expect(selects(spec.selector, template.metadata.labels)).toBe(true)
    const names = container.ports.map(({ name }) => name)
    for (const { targetPort } of spec.ports) expect(names).toContain(targetPort)
  })

  test('are probed where they answer, and start anew when their configuration changes', () => {
    expect(container.livenessProbe.httpGet).toEqual({ path: '/livez', port: 'operations' })
    expect(container.readinessProbe?.httpGet).toEqual({ path: '/readyz', port: 'operations' })
    const { name } = the(standalone, 'ConfigMap').metadata
    expect(name).toMatch(/^bft-scan-proxy-\w+$/)
    expect(container.envFrom).toEqual([
      { configMapRef: { name } },
      { secretRef: { name: 'bft-scan-proxy', optional: true } },
    ])
  })

  test('leave the files of a claim to their owner, so that a key of receipts there stays one', () => {
    expect(template.spec.securityContext).toEqual({ fsGroup: 1000, fsGroupChangePolicy: 'OnRootMismatch' })
  })

  test('are what the budget and the policy are about, and a rollout always leaves one', () => {
    const { labels } = template.metadata
    const budget = the(standalone, 'PodDisruptionBudget').spec
    const policy = the(standalone, 'NetworkPolicy').spec
    expect(selects(selector.matchLabels, labels)).toBe(true)
    expect(selects(budget.selector.matchLabels, labels)).toBe(true)
    expect(selects(policy.podSelector.matchLabels, labels)).toBe(true)
    expect(replicas - budget.maxUnavailable).toBeGreaterThan(0)
  })

  test('show callers the API, and monitoring alone the operations; they reach names, scans and Redis', () => {
    const { ingress, egress } = the(standalone, 'NetworkPolicy').spec
    const portsOf = (rules: { ports: { port: number }[] }[]) =>
      rules.map(({ ports }) => [...new Set(ports.map(({ port }) => port))])
    expect(portsOf(ingress)).toEqual([[8080], [9464]])
    expect(ingress[1].from).toEqual([
      { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'monitoring' } } },
    ])
    expect(portsOf(egress)).toEqual([[53], [443], [6379]])
  })
})

test('an overlay as docs/deploying.md shows it renders, with the file of the options that reload', async () => {
  const page = await readFile(join(top, 'docs/deploying.md'), 'utf8')
  const [, overlay = ''] = /```yaml\n# my-daemons\/kustomization\.yaml\n([^`]+)```/.exec(page) ?? []
  const [, local = ''] = /```yaml\n# my-daemons\/local\.yaml\n([^`]+)```/.exec(page) ?? []
  const folder = newFolder(onTestFinished)
  const own = join(folder, 'my-daemons')
  await mkdir(own)
  await symlink(top, join(folder, 'package'))
  await writeFile(join(own, 'kustomization.yaml'), overlay)
  await writeFile(join(own, 'local.yaml'), local)
  const rendered = resourcesIn(await printed('kubectl', ['kustomize', own]))
  const { spec } = the(rendered, 'Deployment').spec.template
  const [container] = spec.containers
  const variables = the(rendered, 'ConfigMap', container.envFrom[0].configMapRef.name).data
  expect(variables).toMatchObject({
    NETWORK: 'testnet',
    SCAN_ROSTER_FILE: expect.stringMatching(/roster\.json$/),
  })
  const mounted = container.volumeMounts.find(
    ({ mountPath }: { mountPath: string }) => mountPath === variables?.['NODE_CONFIG_DIR'],
  )
  const volume = spec.volumes.find(({ name }: { name: string }) => name === mounted.name)
  expect(the(rendered, 'ConfigMap', volume.configMap.name).data).toEqual({
    'local.yaml': 'logLevel: info\n',
  })
  expect(container.image).toMatch(/^registry\.example\.com\/bft-scan-proxy:/)
})

describe('monitoring', () => {
  test('scrapes a port of the Service, however the daemon runs', () => {
    const { selector, endpoints } = the(monitoring, 'ServiceMonitor').spec
    expect(endpoints).toMatchObject([{ port: 'operations', path: '/metrics' }])
    for (const resources of [standalone, settings]) {
      const service = the(resources, 'Service')
      expect(selects(selector.matchLabels, service.metadata.labels)).toBe(true)
      expect(service.spec.ports.map(({ name }: { name: string }) => name)).toContain('operations')
    }
  })

  test('has every alert as a PrometheusRule', () => {
    expect(the(monitoring, 'PrometheusRule').spec).toEqual(rulesFile)
  })

  test('has every dashboard in a ConfigMap of its own, which kubectl can apply', () => {
    const maps = monitoring.filter(({ kind }) => kind === 'ConfigMap')
    const files = maps.flatMap(({ data }) => Object.entries(data ?? {}))
    expect(files.map(([file]) => file).toSorted()).toEqual(dashboardsThere.map(({ file }) => file).toSorted())
    for (const [file, text] of files) {
      expect(JSON.parse(text).uid).toBe(dashboardsThere.find((there) => there.file === file)?.uid)
      expect(text.length).toBeLessThan(256 * 1024)
    }
    for (const { metadata } of maps) expect(metadata.labels).toMatchObject({ grafana_dashboard: '1' })
  })
})
