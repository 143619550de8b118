import type { Config } from '../config/resolve.ts'

export interface ListeningUrls {
  readonly http: string
  readonly operations: string
  readonly network: string
  /** The value is `trust-single` if the daemon believes one scan without a vote. */
  readonly threshold: string | number
  readonly dsoPartyId?: string
  readonly configurationFiles?: readonly string[]
  readonly control?: string
  readonly superValidators?: Readonly<Record<string, string>>
  readonly example?: string
}

export interface StartedWith {
  readonly configurationFiles?: readonly string[]
  readonly networkName?: string
}

export interface OpenUrls {
  readonly http: string
  readonly operations: string
  readonly isAnswering: boolean
  readonly localnet:
    | {
        readonly control: string
        readonly superValidators: readonly { readonly name: string; readonly url: string }[]
      }
    | undefined
}

/** Returns what the log says when the addresses are open. */
export function listeningUrls(
  config: Config,
  { configurationFiles, networkName = config.network }: StartedWith,
  { http, operations, isAnswering, localnet }: OpenUrls,
): ListeningUrls {
  const { scanType, threshold, dsoPartyId } = config.scanClient
  return {
    http,
    operations,
    network: networkName,
    threshold: scanType === 'trust-single' ? scanType : threshold,
    ...(dsoPartyId !== undefined && { dsoPartyId }),
    ...(configurationFiles !== undefined && { configurationFiles }),
    ...(isAnswering && { example: exampleOf(config, http) }),
    ...(localnet && {
      control: localnet.control,
      superValidators: Object.fromEntries(localnet.superValidators.map(({ name, url }) => [name, url])),
    }),
  }
}

/**
 * The command asks a localnet for a name. On another network, the configured acronym may be wrong,
 * so the command asks for the DSO's party id.
 */
function exampleOf({ network, localnet }: Config, http: string): string {
  const path = network === 'localnet' ? `ans-entries/by-name/dso.${localnet.acronym}` : 'dso-party-id'
  const base = http.replace('://0.0.0.0:', '://127.0.0.1:').replace('://[::]:', '://[::1]:')
  return `curl -s '${base}/api/scan/v0/${path}'`
}
