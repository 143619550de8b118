import { checkLaws } from './laws.ts'
import { checkAbstentions } from './laws-of-change.ts'
import { type Course, type Kind, type Roster, type Setting, settingOf, wavesOf } from './settings.ts'
import { keyUpToNames, type Size, type State, type Step, walk, wholePath } from './walk.ts'

export function settingsOf(kind: Kind, rosters: readonly Roster[], course: Course = {}): readonly Setting[] {
  return rosters.flatMap((roster) =>
    wavesOf(kind).map(({ fanout, spare }) => settingOf(roster, kind, fanout, { ...course, spare })),
  )
}

/**
 * Checks every law in every state.
 * @throws an error that names the law, and the events that lead to the state which breaks it.
 */
export function checkAll(settings: readonly Setting[]): Size {
  const total: Size = { states: 0, transitions: 0, verdicts: 0 }
  for (const setting of settings) {
    const size = walk(setting, checkStep)
    total.states += size.states
    total.transitions += size.transitions
    total.verdicts += size.verdicts
  }
  return total
}

function checkStep(step: Step): void {
  checkLaws(step)
  checkAbstentions(step)
}

/**
 * Checks that states which differ only in the names of voters may count as one: in the tree of all paths, they
 * lead to states that are equal but for names.
 * @returns the number of paths.
 */
export function checkEveryWay(setting: Setting): number {
  const next = new Map<State, Set<string>>()
  const check = ({ before, after }: Step) => {
    next.set(after, new Set())
    if (before !== undefined) next.get(before)?.add(keyUpToNames(setting, after))
  }
  walk(setting, check, wholePath)
  const known = new Map<string, string>()
  for (const [state, keys] of next) {
    const from = keyUpToNames(setting, state)
    const to = [...keys].sort().join('\n')
    if ((known.get(from) ?? to) !== to) throw new Error(`${from} leads elsewhere by another way:\n${to}`)
    known.set(from, to)
  }
  const { states } = walk(setting, () => {})
  if (states !== known.size) throw new Error(`${states} states were visited of ${known.size}`)
  return next.size
}
