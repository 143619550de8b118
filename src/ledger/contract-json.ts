import { shortest } from './daml/decimal.ts'
import type { ContractOf, Template } from './daml/template.ts'
import type { Shape } from './daml/type.ts'
import { flat } from './flat.ts'
import type { DamlRecord, DamlValue, Micros } from './value.ts'

/** `Contract` of common-external.yaml. */
export interface ContractJson {
  readonly template_id: string
  readonly contract_id: string
  /** As on the ledger, but for decimals, which end in no more zeros than one: `1.0`, `0.005`. */
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

/** As Java prints an `Instant`: no fraction, or three or six digits of it. */
export function instant(micros: Micros): string {
  // The times of one update are mostly one.
  if (micros !== last.micros) last = { micros, text: flat(instantText(micros)) }
  return last.text
}

let last = { micros: Number.NaN, text: '' }

function instantText(micros: Micros): string {
  const second = Math.floor(micros / 1_000_000)
  const whole = `${dayText(Math.floor(second / 86_400))}T${timeText(((second % 86_400) + 86_400) % 86_400)}`
  if (micros % 1_000_000 === 0) return `${whole}Z`
  const fraction = String(((micros % 1_000_000) + 1_000_000) % 1_000_000).padStart(6, '0')
  return `${whole}.${fraction.endsWith('000') ? fraction.slice(0, 3) : fraction}Z`
}

/** Times that follow on each other are mostly of one day. */
function dayText(day: number): string {
  if (day !== lastDay.day) lastDay = { day, text: new Date(day * 86_400_000).toISOString().slice(0, 10) }
  return lastDay.text
}

let lastDay = { day: Number.NaN, text: '' }

function timeText(second: number): string {
  const [hours, minutes] = [Math.floor(second / 3_600), Math.floor(second / 60) % 60]
  return `${twoDigits(hours)}:${twoDigits(minutes)}:${twoDigits(second % 60)}`
}

function twoDigits(number: number): string {
  return number < 10 ? `0${number}` : String(number)
}

/** Walks a value along its type, so that a text that only looks like a decimal stays what it is. */
function shortened(shape: Shape, value: DamlValue): DamlValue {
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
