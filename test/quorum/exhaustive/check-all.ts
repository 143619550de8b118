import { checkLaws } from './laws.ts'
import { checkAbstentions } from './laws-of-change.ts'
import { type Course, type Kind, type Roster, type Setting, settingOf, wavesOf } from './settings.ts'
import { everyPath, keyUpToNames, type Size, type State, type Step, walk } from './walk.ts'

export function settingsOf(kind: Kind, rosters: readonly Roster[], course: Course = {}): readonly Setting[] {
  return rosters.flatMap((roster) =>
    wavesOf(kind).map(({ fanout, spare }) => settingOf(roster, kind, fanout, { ...course, spare })),
  )
}

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
 * Walks the tree of all paths. States with the same key must have next states with the same keys, because `walk` visits
 * only one state of each key.
 * @returns the number of paths.
 */
export function checkEveryWay(setting: Setting): number {
  const next = new Map<State, { readonly from: string; readonly to: Set<string> }>()
  const check = ({ before, after }: Step) => {
    const key = keyUpToNames(setting, after)
    next.set(after, { from: key, to: new Set() })
    if (before !== undefined) next.get(before)?.to.add(key)
  }
  walk(setting, check, everyPath())
  const known = new Map<string, string>()
  for (const { from, to: keys } of next.values()) {
    const to = [...keys].sort().join('\n')
    if ((known.get(from) ?? to) !== to) throw new Error(`${from} leads elsewhere by another way:\n${to}`)
    known.set(from, to)
  }
  const { states } = walk(setting, () => {})
  if (states !== known.size) throw new Error(`${states} states were visited of ${known.size}`)
  return next.size
}
