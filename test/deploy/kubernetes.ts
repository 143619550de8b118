export interface Resource {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string; readonly labels?: Labels }
  readonly data?: Labels
  // biome-ignore lint/suspicious/noExplicitAny: each kind has a form of its own
  readonly spec?: any
}

export type Labels = Readonly<Record<string, string>>

export interface Container {
  readonly name: string
  readonly image: string
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[]
  readonly env: readonly { readonly name: string; readonly value: string }[]
  readonly envFrom: readonly {
    readonly configMapRef?: { readonly name: string }
    readonly secretRef?: { readonly name: string; readonly optional?: boolean }
  }[]
  readonly livenessProbe: Probe
  readonly readinessProbe?: Probe
  readonly securityContext: Readonly<Record<string, unknown>>
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[]
  readonly resources: { readonly limits: { readonly memory: string } }
}

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string }
}

export function selects(selector: Labels, labels: Labels | undefined): boolean {
  return Object.entries(selector).every(([label, value]) => labels?.[label] === value)
}

export function daemonIn(deployment: Resource | undefined): Container {
  const containers: readonly Container[] = deployment?.spec.template.spec.containers ?? []
  const daemon = containers.find(({ name }) => name === 'bft-scan-proxy')
  if (daemon === undefined) throw new Error('no container is called bft-scan-proxy')
  return daemon
}
