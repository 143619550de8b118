import type { Electorate } from '../quorum/electorate.ts'
import { Roster, seedsAsSet, type Trust } from './roster.ts'

/**
 * Returns the voters and the threshold for a refresh of the roster: the roster decides about its own
 * successor. If its threshold exceeds its size, no read can succeed. A refresh then needs the votes of all
 * its voters, so that the roster can still grow.
 */
export function ofItself(roster: Roster): Electorate {
  const electorate = roster.electorate()
  const { superValidators, voters } = electorate
  if (superValidators.threshold <= superValidators.n) return electorate
  return { ...electorate, superValidators: { ...superValidators, threshold: voters.length } }
}

/** Returns the configured seeds as voters, with threshold f+1. */
export function seedElectorate(seeds: readonly string[], trust: Trust): Electorate {
  const seedTrust: Trust = { ...trust, threshold: 'f+1', thresholds: {} }
  return new Roster(seedsAsSet(seeds), seedTrust).electorate()
}
