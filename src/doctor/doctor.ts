import type { Clock } from '../base/lib/clock.ts'
import type { Group } from '../core/quorum/electorate.ts'
import { meetThreshold } from '../core/quorum/tally.ts'
import { isDiscovering } from '../core/scan/discovery.ts'
import { canonicalOf, type Membership } from '../core/scan/membership.ts'
import { Roster, type RosterVoter, rosterOfSeeds, seedElectorate, type Trust } from '../core/scan/roster.ts'
import { type ExaminationOptions, examine, type ScanAccess, type ScanExamination } from './examine.ts'
import { type Examined, makeReport } from './make-report.ts'
import type { Observation } from './observation.ts'
import type { DoctorReport } from './report.ts'

export interface DoctorOptions extends ExaminationOptions, Trust {
  readonly network: string
  readonly seedUrls: readonly string[]
  readonly discover: boolean
  readonly dsoPartyId?: string
  readonly minimumVoters: number
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
  return makeReport({ ...options, at, roster, origin, observations })
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
  options: DoctorOptions,
  examinations: Examinations,
): Promise<Pick<Examined, 'roster' | 'origin'>> {
  const { seedUrls, dsoPartyId } = options
  const electorate = seedElectorate(options, seedUrls)
  const counts = { seeds: seedUrls.length, needed: electorate.superValidators.threshold }
  const seedRoster = rosterOfSeeds(options, seedUrls)
  examinations.beginAll(seedRoster)
  if (!isDiscovering(options))
    return { roster: seedRoster, origin: { ...counts, source: 'configuration', toldBy: counts.seeds } }
  const memberships: (Membership | null)[] = []
  await Promise.all(
    (electorate.voters as readonly RosterVoter[]).map(async ({ place }, seed) => {
      if (place === undefined) return
      memberships[seed] = await examinations.begin(place.url).roster
      const told = namedByMost(memberships, dsoPartyId)
      if (told !== undefined && meetThreshold(electorate, told.by))
        examinations.beginAll(new Roster(told.membership, options))
    }),
  )
  const told = namedByMost(memberships, dsoPartyId)
  if (told === undefined) return { roster: seedRoster, origin: { ...counts, source: 'seeds', toldBy: 0 } }
  const source = meetThreshold(electorate, told.by) ? 'agreed' : 'told'
  return {
    roster: new Roster(told.membership, options),
    origin: { ...counts, source, toldBy: told.by.length },
  }
}

/**
 * Returns the list of super validators that most seeds name, and the indexes of these seeds (`by`).
 * @param dso the configured DSO. Lists of another DSO are ignored, because they are of another
 * network.
 */
function namedByMost(
  memberships: readonly (Membership | null | undefined)[],
  dso: string | undefined,
): { readonly membership: Membership; readonly by: Group } | undefined {
  const groups = new Map<string, { readonly membership: Membership; readonly by: number[] }>()
  memberships.forEach((membership, seed) => {
    if (membership == null || (dso !== undefined && membership.dso !== dso)) return
    const key = canonicalOf(membership)
    const group = groups.get(key) ?? { membership, by: [] }
    group.by.push(seed)
    groups.set(key, group)
  })
  return [...groups.values()].sort((a, b) => b.by.length - a.by.length)[0]
}
