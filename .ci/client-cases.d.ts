import type * as client from '../src/client/client.ts'

/** The outcome of each call, by what the call tries, without what differs from run to run. */
export type Outcomes = Readonly<Record<string, unknown>>

export function outcomes(
  module: Pick<typeof client, 'createClient' | 'ClientError'>,
  addresses: { readonly daemon: string; readonly canned: string; readonly names: readonly string[] },
): Promise<Outcomes>
