import { SpliceError } from '../../../base/errors/splice.ts'
import { type NodeSpecific, nodeSpecific } from '../../../core/reads/node-specific.ts'

/**
 * A path of the Scan API on which no quorum can agree. Each request gets an error that explains
 * why.
 */
export interface NodeSpecificRoute extends NodeSpecific {
  readonly template: string
  refuse(): never
}

export const nodeSpecificRoutes: readonly NodeSpecificRoute[] = nodeSpecific.map((row) => ({
  ...row,
  template: `/api/scan${row.scanPath}`,
  refuse: () => {
    throw new SpliceError('notAgreeable', { why: row.why, instead: row.instead })
  },
}))
