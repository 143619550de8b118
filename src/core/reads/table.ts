import * as ans from './ans.ts'
import * as dso from './dso.ts'
import { type ReadId, readIds } from './endpoints.ts'
import * as governance from './governance.ts'
import type { Read } from './read.ts'
import * as rewards from './rewards.ts'
import * as rights from './rights.ts'
import * as rounds from './rounds.ts'
import * as snapshots from './snapshots.ts'
import { tokenRegistry } from './token-registry.ts'
import * as topology from './topology.ts'
import * as updates from './updates.ts'

const rows: Readonly<Record<ReadId, Read>> = {
  ...ans,
  ...dso,
  ...governance,
  ...rewards,
  ...rights,
  ...rounds,
  ...snapshots,
  ...tokenRegistry,
  ...topology,
  ...updates,
}

/** All reads, in the order of their endpoints. */
export const reads = Object.fromEntries(readIds.map((id) => [id, rows[id]])) as typeof rows
