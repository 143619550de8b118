import { html } from 'hono/html'
import type { LiveModel } from '../model.ts'
import type { NetworkKind } from '../network.ts'
import { copyable, foreign, type Html } from './text.ts'

const labels: Readonly<Record<NetworkKind, string>> = {
  mainnet: 'MainNet',
  testnet: 'TestNet',
  devnet: 'DevNet',
  localnet: 'LocalNet',
  remote: 'Remote network',
}

/** Says which network the answers are of, and the fingerprint of its DSO. */
export function networkView({ network, roster }: Pick<LiveModel, 'network' | 'roster'>): Html {
  return html`<span class="badge">${labels[network]}</span>${roster !== undefined && roster.dso !== '' && fingerprintView(roster.dso)}`
}

function fingerprintView(dso: string): Html {
  const fingerprint = dso.slice(dso.lastIndexOf('::') + 2)
  const short = fingerprint.length > 12 ? `${fingerprint.slice(0, 6)}…${fingerprint.slice(-4)}` : fingerprint
  return html`<span class="dso" title="${dso}"><span class="minor">DSO</span> ${copyable(dso, 'the party of the DSO', foreign(short))}</span>`
}
