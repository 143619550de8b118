import { listed, visible } from './text.ts'

type Voters = readonly { readonly names: readonly string[] }[]

/**
 * Returns the noun for the holders of the votes: `voters` if several super validators share a vote, and
 * `super validators` otherwise.
 */
export function nounOf(voters: Voters): 'super validators' | 'voters' {
  return voters.some(({ names }) => names.length > 1) ? 'voters' : 'super validators'
}

/** Returns a sentence for each vote that several super validators share. Undefined if no vote is shared. */
export function sharedVotes(voters: Voters): string | undefined {
  const shared = voters.filter(({ names }) => names.length > 1)
  const sentences = shared.map(
    ({ names }) => `${visible(listed(names))} publish the same address, so they have one vote together.`,
  )
  return shared.length === 0 ? undefined : sentences.join(' ')
}
