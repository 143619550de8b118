import { html } from 'hono/html'
import type { SeedState } from '../../scan/seed-results.ts'
import type { LiveModel } from '../model.ts'
import { count, foreign, type Html, moment } from './text.ts'

interface Advice {
  readonly says: string
  /** What the operator can do. The advice for the most frequent outcome is shown. */
  readonly advice: string
}

const unreachable =
  'Check the way out of this machine: DNS, a firewall, a proxy. A super validator that silently drops packets most likely does not have your egress address on its allow-list.'
const allowList =
  'Send the egress address of this machine to these super validators, or to your sponsor, and ask them to put it on their allow-list.'
const wrongAddress = 'Check `scanClient.seedUrls`: what answers there is not a scan of this network.'

/** In words: what a seed said, and what to do about it. `docs/operating.md#the-first-day` says more. */
const outcomes: Readonly<Record<SeedState['outcome'], Advice>> = {
  answered: {
    says: 'names the super validators',
    advice:
      'The seeds name different super validators: check that all of `scanClient.seedUrls` are of one network.',
  },
  refused: { says: 'refuses this machine (401 or 403)', advice: allowList },
  'timed-out': { says: 'did not answer in time', advice: unreachable },
  connect: { says: 'cannot be reached', advice: unreachable },
  reset: { says: 'closed the connection', advice: unreachable },
  dns: {
    says: 'has a name that cannot be resolved',
    advice: "Check `scanClient.seedUrls` and this machine's name server.",
  },
  tls: {
    says: 'has a certificate that this machine does not accept',
    advice:
      'Check the way out of this machine: a proxy that decrypts, or an authority of your own, needs `NODE_EXTRA_CA_CERTS`.',
  },
  'rate-limited': {
    says: 'has a rate limit that is used up (429)',
    advice: 'Wait: the daemon tries again by itself.',
  },
  blocked: {
    says: 'has an address that this daemon does not ask',
    advice:
      'Check `scanClient.seedUrls`: they need https and a public address, unless `scanClient.allowHttp` and `scanClient.allowPrivate` say otherwise.',
  },
  'server-error': {
    says: 'fails inside (5xx)',
    advice: 'Wait: the super validators have to recover, and the daemon tries again by itself.',
  },
  'not-a-scan': { says: 'gave no usable answer', advice: wrongAddress },
  'other-network': { says: 'is of another network', advice: wrongAddress },
  'cannot-say': {
    says: 'cannot say yet',
    advice: 'Wait: its scan has been started just now, and the daemon tries again by itself.',
  },
  'not-asked': { says: 'was not asked', advice: 'Wait: the daemon asks as soon as its own limits allow it.' },
  'not-asked-yet': { says: 'was not asked yet', advice: 'Wait: the daemon asks within seconds.' },
}

/** Shown while there is no roster: each seed, what it said, and one sentence on what to do. */
export function seedsView({ seeds, waitingFor }: Pick<LiveModel, 'seeds' | 'waitingFor'>): Html {
  return html`
    <p class="waiting">No roster of super validators is agreed yet${waitingFor !== undefined && html`: ${foreign(waitingFor)}`}.</p>
    ${
      seeds.length > 0 &&
      html`
        <p class="advice"><strong>What to do:</strong> ${adviceFor(seeds)}</p>
        <table class="seeds">
          <thead><tr><th scope="col">Seed</th><th scope="col">What it said</th><th scope="col">When</th></tr></thead>
          <tbody>${seeds.map(seedView)}</tbody>
        </table>
      `
    }
  `
}

function adviceFor(seeds: readonly SeedState[]): string {
  const failed = seeds.filter(({ outcome }) => outcome !== 'answered')
  const groups = [...Map.groupBy(failed.length > 0 ? failed : seeds, ({ outcome }) => outcome)]
  const [outcome = 'not-asked-yet', most = []] =
    groups.toSorted(([, a], [, b]) => b.length - a.length)[0] ?? []
  const { says, advice } = outcomes[outcome]
  return `${count(most.length, 'seed')} of ${seeds.length} ${saysOfMany(says, most.length)}. ${advice}`
}

const plurals: readonly (readonly [RegExp, string])[] = [
  [/^refuses/, 'refuse'],
  [/^has/, 'have'],
  [/^fails/, 'fail'],
  [/^names/, 'name'],
  [/^is/, 'are'],
  [/^was/, 'were'],
]

function saysOfMany(says: string, many: number): string {
  if (many === 1) return says
  const [pattern, plural] = plurals.find(([verb]) => verb.test(says)) ?? [/^$/, '']
  return says.replace(pattern, plural)
}

function seedView({ url, outcome, detail, at }: SeedState): Html {
  const host = URL.canParse(url) ? new URL(url).host : url
  const { says } = outcomes[outcome]
  const isGood = outcome === 'answered'
  return html`
    <tr>
      <th scope="row"><span class="member"><i class="dot ${isGood ? 'reachable' : 'unreachable'}" aria-hidden="true"></i>${foreign(host)}</span></th>
      <td>${says}${detail !== '' && html` <span class="minor">${foreign(detail)}</span>`}</td>
      <td><span class="minor">${at !== null && moment(at)}</span></td>
    </tr>
  `
}
