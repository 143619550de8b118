import { html } from 'hono/html'
import type { NetworkKind } from '../../config/network-kind.ts'
import { milliseconds } from '../../lib/clock.ts'
import type { LiveModel } from '../model.ts'
import { copyable, count, foreign, type Html } from './text.ts'

const labels: Readonly<Record<NetworkKind, string>> = {
  mainnet: 'MainNet',
  testnet: 'TestNet',
  devnet: 'DevNet',
  localnet: 'LocalNet',
  remote: 'Remote network',
}

export function networkView(model: Pick<LiveModel, 'network' | 'roster' | 'networkMs' | 'machineMs'>): Html {
  const { network, roster } = model
  const ahead = clockAhead(model)
  return html`<span class="badge">${labels[network]}</span>${ahead !== undefined && html`<span class="ahead">clock ${ahead} ahead</span>`}${roster !== undefined && roster.dso !== '' && fingerprintView(roster.dso)}`
}

const hourMs = milliseconds('1h')

function clockAhead({
  network,
  networkMs,
  machineMs,
}: Pick<LiveModel, 'network' | 'networkMs' | 'machineMs'>): string | undefined {
  const hours = Math.round((networkMs - machineMs) / hourMs)
  if (network !== 'localnet' || hours < 1) return undefined
  return hours < 24 ? count(hours, 'hour') : count(Math.round(hours / 24), 'day')
}

function fingerprintView(dso: string): Html {
  const fingerprint = dso.slice(dso.lastIndexOf('::') + 2)
  const short = fingerprint.length > 12 ? `${fingerprint.slice(0, 6)}…${fingerprint.slice(-4)}` : fingerprint
  return html`<span class="dso" title="${dso}"><span class="minor"><abbr title="decentralized synchronizer operations: the party for which the super validators act together">DSO</abbr></span> ${copyable(dso, 'the party of the DSO', foreign(short))}</span>`
}
