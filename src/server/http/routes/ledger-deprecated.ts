import { CantonError } from '../../../base/errors/canton.ts'

interface DeprecatedRow {
  readonly method: 'GET' | 'POST'
  readonly path: string
  /** The release that deprecated the operation. */
  readonly since: '3.4' | '3.5'
  readonly instead: string
  readonly isStream?: boolean
}

/** The operations of older releases that Canton 3.6 refuses by default (ApiDeprecation.scala). */
const rows: readonly DeprecatedRow[] = [
  ...(['flats', 'trees'] as const).map(
    (shape): DeprecatedRow => ({
      method: 'POST',
      path: `/v2/updates/${shape}`,
      since: '3.4',
      instead: 'POST /v2/updates with updateFormat',
      isStream: true,
    }),
  ),
  ...(['id', 'offset'] as const).flatMap((key): DeprecatedRow[] => {
    const rest = { since: '3.4', instead: `POST /v2/updates/update-by-${key}` } as const
    return [
      { method: 'POST', path: `/v2/updates/transaction-by-${key}`, ...rest },
      { method: 'GET', path: `/v2/updates/transaction-tree-by-${key}/{${key}}`, ...rest },
    ]
  }),
  {
    method: 'GET',
    path: '/v2/state/active-contracts-page',
    since: '3.5',
    instead: 'POST /v2/state/active-contracts-page',
  },
  {
    method: 'POST',
    path: '/v2/commands/submit-and-wait-for-transaction-tree',
    since: '3.4',
    instead: 'POST /v2/commands/submit-and-wait-for-transaction of your participant',
  },
  {
    method: 'GET',
    path: '/v2/package-vetting',
    since: '3.5',
    instead: 'POST /v2/package-vetting/list of your participant',
  },
  {
    method: 'POST',
    path: '/v2/package-vetting',
    since: '3.5',
    instead: 'POST /v2/package-vetting/update of your participant',
  },
  {
    method: 'GET',
    path: '/v2/interactive-submission/preferred-package-version',
    since: '3.4',
    instead: 'POST /v2/interactive-submission/preferred-packages of your participant',
  },
]

export interface DeprecatedRoute extends Pick<DeprecatedRow, 'method' | 'path' | 'instead'> {
  readonly isStream: boolean
  refuse(): never
}

export const deprecatedRoutes: readonly DeprecatedRoute[] = rows.map(
  ({ method, path, since, instead, isStream = false }) => ({
    method,
    path,
    instead,
    isStream,
    refuse: () => {
      throw new CantonError('deprecated', { api: `${method} ${path}`, since, instead })
    },
  }),
)
