import type { DamlRecord, DamlValue } from '../value.ts'
import { conform } from './conform.ts'
import type { DamlType, Shape } from './type.ts'

/**
 * As `conform`, of a value that a ledger sent: later versions of a package may have given a record members that this
 * type does not have, which are left out.
 * @throws Refused
 */
export function conformKnown<V extends DamlValue>(type: DamlType<V>, value: DamlValue): V {
  return conform(type, known(type, value))
}

function known(type: Shape, value: DamlValue): DamlValue {
  if (type.kind !== 'record' || typeof value !== 'object' || value === null || Array.isArray(value))
    return value
  const members = Object.entries(value as DamlRecord).flatMap(([name, member]) => {
    const of = type.fields[name]
    return of === undefined ? [] : [[name, known(of, member)] as const]
  })
  return Object.fromEntries(members)
}
