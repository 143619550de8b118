import type { Electorate } from '../quorum/electorate.ts'
import { Roster, seedsAsSet, type Trust } from './roster.ts'

/**
 * Returns the electorate that decides about the roster itself: all its voters, with its usual threshold. That
 * threshold can be above the number of voters, because super validators of one origin are one voter. No read
 * can succeed then, but the roster must still be able to grow: the threshold returned is the number of voters,
 * but at least f+1.
 */
export function ofItself(roster: Roster): Electorate {
  const electorate = roster.electorate()
  const { superValidators, voters } = electorate
  const threshold = Math.max(superValidators.f + 1, voters.length)
  if (superValidators.threshold <= threshold) return electorate
  return { ...electorate, superValidators: { ...superValidators, threshold } }
}

/** Returns the configured seeds as voters, with threshold f+1. */
export function seedElectorate(seeds: readonly string[], trust: Trust): Electorate {
  const seedTrust: Trust = { ...trust, threshold: 'f+1', thresholds: {} }
  return new Roster(seedsAsSet(seeds), seedTrust).electorate()
}
