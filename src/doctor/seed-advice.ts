import type { SeedOutcome, SeedState } from '../core/scan/seed-outcome.ts'

const unreachable =
  'Check the egress of this machine: DNS, a firewall, a proxy. A super validator that silently drops packets most likely does not have your egress address on its allow-list.'
const allowList =
  'Send the egress address of this machine to these super validators, or to your sponsor, and ask them to put it on their allow-list.'
/**
 * By outcome of asking a scan for the roster: the words for one scan and for several, and what an
 * operator can do (`docs/operating.md#the-first-day`).
 */
const outcomes: Readonly<
  Record<
    SeedOutcome,
    { readonly says: readonly [one: string, several: string, rest: string]; readonly advice: string }
  >
> = {
  answered: {
    says: ['names', 'name', 'the super validators'],
    advice:
      'The seeds name different super validators: check that all of `scanClient.seedUrls` are of one network.',
  },
  refused: { says: ['refuses', 'refuse', 'this machine (401 or 403)'], advice: allowList },
  'timed-out': { says: ['did', 'did', 'not answer in time'], advice: unreachable },
  connect: { says: ['cannot', 'cannot', 'be reached'], advice: unreachable },
  reset: { says: ['closed', 'closed', 'the connection'], advice: unreachable },
  dns: {
    says: ['has', 'have', 'a name that cannot be resolved'],
    advice: "Check `scanClient.seedUrls` and this machine's name server.",
  },
  proxy: {
    says: ['cannot', 'cannot', 'be reached through the forward proxy'],
    advice: 'Check `HTTPS_PROXY`: its host, its port and its credentials, and what the proxy lets through.',
  },
  tls: {
    says: ['has', 'have', 'a certificate that this machine does not accept'],
    advice:
      'Check the egress of this machine: a proxy that decrypts, or an authority of your own, needs `NODE_EXTRA_CA_CERTS`.',
  },
  'rate-limited': {
    says: ['has', 'have', 'a rate limit that is used up (429)'],
    advice: 'Wait and try again; a daemon does so by itself.',
  },
  blocked: {
    says: ['has', 'have', 'an address that this daemon does not ask'],
    advice:
      'Check `scanClient.seedUrls`: they need https and a public address, unless `scanClient.allowHttp` and `scanClient.allowPrivate` say otherwise.',
  },
  'server-error': {
    says: ['fails', 'fail', 'inside (5xx)'],
    advice: 'Wait until the super validators recover, and try again; a daemon does so by itself.',
  },
  'not-a-scan': {
    says: ['gave', 'gave', 'no usable answer'],
    advice: 'Check `scanClient.seedUrls`: what answers there is not a scan.',
  },
  contradictory: {
    says: ['contradicts itself', 'contradict themselves', ''],
    advice:
      'What they answer is what a scan would, and does not fit together: they are broken, or lie. Ask their operators, and leave them out of `scanClient.seedUrls` until then.',
  },
  'other-network': {
    says: ['is', 'are', 'of another network'],
    advice:
      'Check `scanClient.dsoPartyId`, the pin, and `scanClient.seedUrls`: they are of different networks.',
  },
  'cannot-say': {
    says: ['cannot', 'cannot', 'say yet'],
    advice: 'Wait and try again, because its scan has just been started; a daemon does so by itself.',
  },
  'not-asked': {
    says: ['was', 'were', 'not asked'],
    advice: 'Wait and try again, because the own limits of this process left no room for the request.',
  },
  'not-asked-yet': {
    says: ['was', 'were', 'not asked yet'],
    advice: 'Wait: the daemon asks within seconds.',
  },
}

export function seedSays(outcome: SeedOutcome, many = 1): string {
  const [one, several, rest] = outcomes[outcome].says
  return `${many === 1 ? one : several} ${rest}`.trimEnd()
}

/**
 * Returns advice for an operator who waits for a roster. The text is about the most frequent
 * failure of the seeds. If no seed failed, or if the answers of the seeds differ, the answers count
 * too and may be the most frequent outcome.
 */
export function seedAdvice(seeds: readonly SeedState[]): string {
  const failed = seeds.filter(({ outcome }) => outcome !== 'answered')
  const isContradicted = listsOf(seeds).length > 1
  const told = failed.length === 0 || isContradicted ? seeds : failed
  const groups = [...Map.groupBy(told, ({ outcome }) => outcome)]
  const [outcome = 'not-asked-yet', { length } = []] =
    groups.toSorted(([, a], [, b]) => b.length - a.length)[0] ?? []
  const advice =
    outcome === 'answered' && !isContradicted
      ? 'The super validators that they name have to confirm that list, and too few do: `bft-scan-proxy doctor` examines each of them.'
      : outcomes[outcome].advice
  const number = `${length} ${length === 1 ? 'seed' : 'seeds'} of ${seeds.length}`
  return `${number} ${seedSays(outcome, length)}. ${advice}`
}

/**
 * Returns the seeds whose list of super validators is not the most frequent one. The result is
 * empty if the two most frequent lists are equally frequent.
 */
export function seedsApart(seeds: readonly SeedState[]): readonly SeedState[] {
  const lists = listsOf(seeds)
  const [most = [], second = []] = lists
  return most.length === second.length ? [] : lists.slice(1).flat()
}

/**
 * Groups the seeds by the list that they name, the most frequent list first. Seeds with the same
 * list have the same `detail`, which contains the digest of the list.
 */
function listsOf(seeds: readonly SeedState[]): readonly (readonly SeedState[])[] {
  const answers = seeds.filter(({ outcome }) => outcome === 'answered')
  return [...Map.groupBy(answers, ({ detail }) => detail).values()].toSorted((a, b) => b.length - a.length)
}
