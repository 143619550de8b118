import { shortest } from './daml/decimal.ts'
import type { ContractOf, Template } from './daml/template.ts'
import type { DamlShape } from './daml/type.ts'
import type { DamlRecord, DamlValue, Micros } from './value.ts'

/** A contract as JSON that conforms to the schema `Contract` in Splice's `common-external.yaml`. */
export interface ContractJson {
  readonly template_id: string
  readonly contract_id: string
  readonly payload: DamlValue
  readonly created_event_blob: string
  readonly created_at: string
}

export function contractJson<A extends DamlRecord>(
  template: Template<A>,
  { templateId, contractId, argument, createdEventBlob, createdAt }: ContractOf<A>,
): ContractJson {
  return {
    template_id: templateId,
    contract_id: contractId,
    payload: shortened(template.argument, argument),
    created_event_blob: createdEventBlob,
    created_at: instant(createdAt),
  }
}

/**
 * Formats a time as Java's `Instant` does: with `Z`, and with zero, three or six decimal places.
 */
export function instant(micros: Micros): string {
  const second = Math.floor(micros / 1_000_000)
  const whole = new Date(second * 1_000).toISOString().slice(0, -'.000Z'.length)
  const fraction = micros - second * 1_000_000
  if (fraction === 0) return `${whole}Z`
  const digits = String(fraction).padStart(6, '0')
  return `${whole}.${digits.endsWith('000') ? digits.slice(0, 3) : digits}Z`
}

/**
 * Removes the trailing zeros of all decimals in a value. Only `shape` tells which strings are
 * decimals: a Daml text may look like a decimal.
 */
function shortened(shape: DamlShape, value: DamlValue): DamlValue {
  switch (shape.kind) {
    case 'decimal':
      return typeof value === 'string' ? shortest(value) : value
    case 'optional':
      return value === null ? null : shortened(shape.of, value)
    case 'list':
      return listOf(value).map((item) => shortened(shape.of, item))
    case 'map':
      return listOf(value).map((pair) => {
        const [key = null, content = null] = listOf(pair)
        return [shortened(shape.key, key), shortened(shape.value, content)]
      })
    case 'record':
      return Object.fromEntries(
        Object.entries(recordOf(value)).map(([name, member]) => {
          const type = shape.fields[name]
          return [name, type === undefined ? member : shortened(type, member)]
        }),
      )
    case 'variant': {
      const { tag, value: content = null } = recordOf(value)
      const type = typeof tag === 'string' ? shape.cases[tag] : undefined
      return type === undefined ? value : { ...recordOf(value), value: shortened(type, content) }
    }
    default:
      return value
  }
}

function listOf(value: DamlValue): readonly DamlValue[] {
  return Array.isArray(value) ? value : []
}

function recordOf(value: DamlValue): DamlRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as DamlRecord) : {}
}
