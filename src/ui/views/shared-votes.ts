import { listed, visible } from './text.ts'

type Voters = readonly { readonly names: readonly string[] }[]

/**
 * Super validators that publish the same address share one vote. The holders of votes are then
 * called voters.
 */
export function nounOf(voters: Voters): 'super validators' | 'voters' {
  return voters.some(({ names }) => names.length > 1) ? 'voters' : 'super validators'
}

export function sharedVotes(voters: Voters): string | undefined {
  const shared = voters.filter(({ names }) => names.length > 1)
  const sentences = shared.map(
    ({ names }) => `${visible(listed(names))} publish the same address, so they have one vote together.`,
  )
  return shared.length === 0 ? undefined : sentences.join(' ')
}
