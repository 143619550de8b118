import type { Electorate } from '../quorum/electorate.ts'
import { Roster, seedsAsSet, type Trust } from './roster.ts'

/**
 * Returns the electorate that decides about the roster itself: all its voters, with its usual threshold. A
 * configured threshold may be above n, and then no read can succeed. The threshold here is then the number of
 * voters, so that the roster can still grow to the configured threshold.
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
