import type { Electorate } from '../quorum/electorate.ts'
import { Roster, seedsAsSet, type Trust } from './roster.ts'

/**
 * Returns the voters that decide about the roster itself. A threshold above the number of voters is
 * lowered to that number, but not below f+1, so that the roster can still grow.
 */
export function rosterDecidingElectorate(roster: Roster): Electorate {
  const electorate = roster.electorate()
  const { superValidators, voters } = electorate
  const threshold = Math.max(superValidators.f + 1, voters.length)
  if (superValidators.threshold <= threshold) return electorate
  return { ...electorate, superValidators: { ...superValidators, threshold } }
}

export function seedElectorate(seeds: readonly string[], trust: Trust): Electorate {
  const seedTrust: Trust = { ...trust, threshold: 'f+1', thresholds: {} }
  return new Roster(seedsAsSet(seeds), seedTrust).electorate()
}
