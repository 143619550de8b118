import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { stringify } from 'yaml'
import { top } from '../arch/sources.ts'
import { newFolder } from '../support/new-folder.ts'
import { kustomized, printed, resourcesIn, the } from './commands.ts'
import { daemonIn, type Resource, selects } from './kubernetes.ts'

const postRenderer = join(top, 'deploy/kubernetes/splice/post-render')
const patch = join(top, 'deploy/kubernetes/splice/sidecar/sidecar.yaml')
const rendered = await readFile(join(import.meta.dirname, 'splice-validator.yaml'), 'utf8')
const chart = resourcesIn(rendered)
const postRendered = resourcesIn(await printed(postRenderer, [], rendered))

const folder = newFolder(afterAll)

const validatorIn = (resources: readonly Resource[]) => the(resources, 'Deployment', 'validator-app')

function withoutDaemon({ metadata, spec, ...rest }: Resource): object {
  const { containers, volumes, ...pod } = spec.template.spec
  const { annotations, labels, ...ofPod } = spec.template.metadata
  const isAdded = ({ name }: { name: string }) => name.startsWith('bft-scan-proxy')
  return {
    ...rest,
    metadata,
    spec: {
      ...spec,
      template: {
        metadata: { ...ofPod, labels: { ...labels, 'bft-scan-proxy/serves': undefined } },
        spec: {
          ...pod,
          containers: containers.filter((container: { name: string }) => !isAdded(container)),
          volumes: volumes.filter((volume: { name: string }) => !isAdded(volume)),
        },
      },
    },
  }
}

async function patched(): Promise<Resource> {
  const file = join(folder, 'deployment.yaml')
  await writeFile(file, stringify(validatorIn(chart)))
  const args = ['patch', '--local', '--filename', file, '--patch-file', patch, '--output', 'json']
  return JSON.parse(await printed('kubectl', args))
}

describe("beside a validator of Splice's chart", () => {
  test('the post-renderer of Helm keeps every resource of the chart as it was, but for the pod of the validator', () => {
    for (const resource of chart) {
      const { kind, metadata } = resource
      const after = the(postRendered, kind, metadata.name)
      if (metadata.name === 'validator-app' && kind === 'Deployment')
        expect(withoutDaemon(after)).toEqual(withoutDaemon(resource))
      else expect(after).toEqual(resource)
    }
  })

  test('the post-renderer adds the daemon, its Service and its ConfigMap', async () => {
    const added = postRendered.filter(({ metadata }) => metadata.name.startsWith('bft-scan-proxy'))
    expect(added).toEqual(await kustomized('deploy/kubernetes/splice/settings'))
    expect(added.map(({ kind }) => kind).toSorted()).toEqual(['ConfigMap', 'Service'])
    expect(postRendered.length).toBe(chart.length + added.length)
  })

  test('the Service leads to the pod, and the daemon reads a ConfigMap that exists under this name', () => {
    const deployment = validatorIn(postRendered)
    const { selector, ports } = the(postRendered, 'Service', 'bft-scan-proxy').spec
    expect(selects(selector, deployment.spec.template.metadata.labels)).toBe(true)
    const { envFrom, ports: own } = daemonIn(deployment)
    expect(own.map(({ name }) => name)).toEqual(ports.map(({ name }: { name: string }) => name))
    expect(envFrom[0]?.configMapRef?.name).toBe('bft-scan-proxy')
    expect(the(postRendered, 'ConfigMap', 'bft-scan-proxy').data).toMatchObject({
      NETWORK: 'mainnet',
    })
  })

  test('no port of the daemon is one of the validator, whose pod stays ready without a roster', () => {
    const { containers } = validatorIn(postRendered).spec.template.spec
    const taken = containers.flatMap(({ ports = [] }: { ports?: { containerPort: number }[] }) =>
      ports.map(({ containerPort }) => containerPort),
    )
    expect(taken.toSorted()).toEqual([5003, 8080, 9464])
    expect(daemonIn(validatorIn(postRendered)).readinessProbe).toBeUndefined()
  })

  test('kubectl patch makes the same Deployment as the post-renderer', async () => {
    const deployment = await patched()
    expect(deployment).toEqual(validatorIn(postRendered))
  })

  test('the post-renderer takes a component with settings of its own', async () => {
    const own = {
      apiVersion: 'kustomize.config.k8s.io/v1alpha1',
      kind: 'Component',
      images: [{ name: 'bft-scan-proxy', newName: 'registry.example.com/bft-scan-proxy' }],
      configMapGenerator: [
        {
          name: 'bft-scan-proxy',
          behavior: 'merge',
          options: { disableNameSuffixHash: true },
          literals: ['NETWORK=testnet'],
        },
      ],
    }
    await writeFile(join(folder, 'kustomization.yaml'), stringify(own))
    const resources = resourcesIn(await printed(postRenderer, [folder], rendered))
    expect(the(resources, 'ConfigMap', 'bft-scan-proxy').data).toMatchObject({ NETWORK: 'testnet' })
    expect(daemonIn(validatorIn(resources)).image).toMatch(/^registry\.example\.com\/bft-scan-proxy:/)
  })

  test('the post-renderer fails where the chart has no validator, so that Helm changes nothing', async () => {
    const others = chart.filter(({ kind }) => kind !== 'Deployment').map((resource) => stringify(resource))
    await expect(printed(postRenderer, [], others.join('---\n'))).rejects.toThrow(/validator-app/)
  })
})
