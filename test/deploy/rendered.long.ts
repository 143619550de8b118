import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { top } from '../arch/sources.ts'
import { daemonIn, type Resource, selects } from './kubernetes.ts'

async function rendered(overlay: string): Promise<readonly Resource[]> {
  const folder = join(top, 'deploy/kubernetes/overlays', overlay)
  const { stdout } = await promisify(execFile)('kubectl', ['kustomize', folder])
  return parseAllDocuments(stdout).map((document) => document.toJS())
}

const standalone = await rendered('standalone')
const sidecar = await rendered('sidecar')

const the = (resources: readonly Resource[], kind: string): Resource => {
  const [found, ...more] = resources.filter((resource) => resource.kind === kind)
  if (found === undefined || more.length > 0) throw new Error(`${more.length + 1} of ${kind}`)
  return found
}

test('what each overlay renders to', () => {
  const kinds = (resources: readonly Resource[]) => resources.map(({ kind }) => kind).toSorted()
  const shared = ['ConfigMap', 'Deployment', 'Service', 'ServiceMonitor']
  expect(kinds(sidecar)).toEqual(shared)
  expect(kinds(standalone)).toEqual([...shared, 'NetworkPolicy', 'PodDisruptionBudget'].toSorted())
})

describe.each([
  ['standalone', standalone],
  ['sidecar', sidecar],
])('%s', (_, resources) => {
  const deployment = the(resources, 'Deployment')
  const { template } = deployment.spec
  const container = daemonIn(deployment)

  test('the Service reaches its pods by ports that they have', () => {
    const { spec } = the(resources, 'Service')
    expect(selects(spec.selector, template.metadata.labels)).toBe(true)
    const names = container.ports.map(({ name }) => name)
    for (const { targetPort } of spec.ports) expect(names).toContain(targetPort)
  })

  test('the ServiceMonitor scrapes a port of the Service', () => {
    const service = the(resources, 'Service')
    const { selector, endpoints } = the(resources, 'ServiceMonitor').spec
    expect(selects(selector.matchLabels, service.metadata.labels)).toBe(true)
    expect(endpoints).toMatchObject([{ port: 'operations', path: '/metrics' }])
    expect(service.spec.ports.map(({ name }: { name: string }) => name)).toContain('operations')
  })

  test('it is probed where it tells, and configured by the map that is rendered', () => {
    expect(container.livenessProbe.httpGet).toEqual({ path: '/livez', port: 'operations' })
    expect(container.readinessProbe.httpGet).toEqual({ path: '/readyz', port: 'operations' })
    expect(container.envFrom).toEqual([
      { configMapRef: { name: the(resources, 'ConfigMap').metadata.name } },
      { secretRef: { name: 'bft-scan-proxy', optional: true } },
    ])
  })
})

test('the sidecar leaves the validator as it was, beside it', () => {
  const { spec } = the(sidecar, 'Deployment').spec.template
  const names = spec.containers.map(({ name }: { name: string }) => name)
  expect(names.toSorted()).toEqual(['bft-scan-proxy', 'validator-app'])
})

test('the budget and the policy are about the pods, and a rollout always leaves one', () => {
  const { replicas, selector, template } = the(standalone, 'Deployment').spec
  const { labels } = template.metadata
  const budget = the(standalone, 'PodDisruptionBudget').spec
  const policy = the(standalone, 'NetworkPolicy').spec
  expect(selects(selector.matchLabels, labels)).toBe(true)
  expect(selects(budget.selector.matchLabels, labels)).toBe(true)
  expect(selects(policy.podSelector.matchLabels, labels)).toBe(true)
  expect(replicas - budget.maxUnavailable).toBeGreaterThan(0)
})

test('callers reach the API and monitoring alone the operations; it reaches names, scans and Redis', () => {
  const { ingress, egress } = the(standalone, 'NetworkPolicy').spec
  const portsOf = (rules: { ports: { port: number }[] }[]) =>
    rules.map(({ ports }) => [...new Set(ports.map(({ port }) => port))])
  expect(portsOf(ingress)).toEqual([[8080], [9464]])
  expect(ingress[1].from).toEqual([
    { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'monitoring' } } },
  ])
  expect(portsOf(egress)).toEqual([[53], [443], [6379]])
})
