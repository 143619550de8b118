import type { Clock } from '../lib/clock.ts'
import type { Group } from '../quorum/electorate.ts'
import { meetThreshold } from '../quorum/tally.ts'
import type { DiscoveryOptions } from '../scan/discovery.ts'
import {
  canonicalOf,
  Roster,
  type RosterSet,
  type RosterVoter,
  seedElectorate,
  seedsAsSet,
  trustedPart,
} from '../scan/roster.ts'
import { type ExaminationOptions, examine, type ScanAccess, type ScanExamination } from './examine.ts'
import { type Examined, makeReport } from './make-report.ts'
import type { Observation } from './observation.ts'
import type { DoctorReport } from './report.ts'

export interface DoctorOptions extends ExaminationOptions {
  readonly network: string
  readonly discovery: Pick<
    DiscoveryOptions,
    'seeds' | 'discover' | 'svNames' | 'dsoPartyId' | 'minimumVoters' | 'trust'
  >
  readonly egressAddresses: readonly string[]
}

/** Longer than the limits of all steps and requests that run one after another for one scan. */
const totalMs = 14_000

export interface DoctorDeps {
  readonly clock: Clock
  readonly access: ScanAccess
  /**
   * Called after the examination of each scan: `done` examinations have ended, of the `of` that have
   * begun.
   */
  readonly progress?: ((done: number, of: number) => void) | undefined
  /** When this signal aborts, the doctor reports what it has observed so far. */
  readonly signal?: AbortSignal | undefined
}

/**
 * Examines the scans of all super validators from this machine. It begins with the seeds (the
 * configured scans), and adds other scans as soon as enough seeds name them. Resolves within
 * `totalMs`, whatever the scans do.
 */
export async function runDoctor(options: DoctorOptions, deps: DoctorDeps): Promise<DoctorReport> {
  const { clock } = deps
  const at = clock.wall()
  const examinations = new Examinations(options, deps)
  const { roster, origin } = await rosterFrom(options, examinations)
  examinations.beginAll(roster)
  const observations = await examinations.observations()
  const { network, egressAddresses, discovery } = options
  return makeReport({ ...discovery, at, network, roster, origin, egressAddresses, observations })
}

class Examinations {
  readonly #options: ExaminationOptions
  readonly #deps: DoctorDeps
  readonly #endsAt: number
  readonly #byUrl = new Map<string, ScanExamination>()
  #done = 0

  constructor(options: DoctorOptions, deps: DoctorDeps) {
    this.#options = options
    this.#deps = deps
    this.#endsAt = deps.clock.now() + totalMs
  }

  begin(url: string): ScanExamination {
    const known = this.#byUrl.get(url)
    if (known !== undefined) return known
    const { clock, access, progress, signal } = this.#deps
    const remainingMs = () => (signal?.aborted ? 0 : this.#endsAt - clock.now())
    const examination = examine(url, this.#options, { clock, access, remainingMs })
    this.#byUrl.set(url, examination)
    void examination.observation.then(() => progress?.(++this.#done, this.#byUrl.size))
    return examination
  }

  beginAll({ voters }: Roster): void {
    for (const { place } of voters) if (place !== undefined) this.begin(place.url)
  }

  async observations(): Promise<ReadonlyMap<string, Observation>> {
    const entries = [...this.#byUrl].map(async ([url, { observation }]) => [url, await observation] as const)
    return new Map(await Promise.all(entries))
  }
}

async function rosterFrom(
  { discovery }: DoctorOptions,
  examinations: Examinations,
): Promise<Pick<Examined, 'roster' | 'origin'>> {
  const { trust, svNames, dsoPartyId } = discovery
  const electorate = seedElectorate(discovery.seeds, trust)
  const counts = { seeds: discovery.seeds.length, needed: electorate.superValidators.threshold }
  const seedRoster = new Roster(seedsAsSet(discovery.seeds, dsoPartyId), trust)
  examinations.beginAll(seedRoster)
  if (!discovery.discover)
    return { roster: seedRoster, origin: { ...counts, source: 'configuration', toldBy: counts.seeds } }
  const rosterOf = (set: RosterSet) => new Roster(trustedPart(set, trust, svNames), trust)
  const sets: (RosterSet | null)[] = []
  await Promise.all(
    (electorate.voters as readonly RosterVoter[]).map(async ({ place }, seed) => {
      if (place === undefined) return
      sets[seed] = await examinations.begin(place.url).roster
      const told = rosterNamedByMost(sets, dsoPartyId)
      if (told !== undefined && meetThreshold(electorate, told.by)) examinations.beginAll(rosterOf(told.set))
    }),
  )
  const told = rosterNamedByMost(sets, dsoPartyId)
  if (told === undefined) return { roster: seedRoster, origin: { ...counts, source: 'seeds', toldBy: 0 } }
  const source = meetThreshold(electorate, told.by) ? 'agreed' : 'told'
  return { roster: rosterOf(told.set), origin: { ...counts, source, toldBy: told.by.length } }
}

/**
 * Returns the list of super validators that most seeds name, and the indexes of these seeds (`by`).
 * @param dso the configured DSO. Lists of another DSO are ignored, because they are of another
 * network.
 */
function rosterNamedByMost(
  sets: readonly (RosterSet | null | undefined)[],
  dso: string | undefined,
): { readonly set: RosterSet; readonly by: Group } | undefined {
  const groups = new Map<string, { readonly set: RosterSet; readonly by: number[] }>()
  sets.forEach((set, seed) => {
    if (set == null || (dso !== undefined && set.dso !== dso)) return
    const key = canonicalOf(set)
    const group = groups.get(key) ?? { set, by: [] }
    group.by.push(seed)
    groups.set(key, group)
  })
  return [...groups.values()].sort((a, b) => b.by.length - a.by.length)[0]
}
