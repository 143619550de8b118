import { cache } from './cache.ts'
import type { Dashboard } from './dashboard.ts'
import { ledger } from './ledger.ts'
import { overview } from './overview.ts'
import { process } from './process.ts'
import { superValidators } from './super-validators.ts'

export const dashboards: readonly Dashboard[] = [overview, superValidators, cache, ledger, process]
