import type { DamlValue } from '../value.ts'

export type DamlShape =
  | { readonly kind: 'text' | 'party' | 'contractId' | 'int64' | 'decimal' | 'time' }
  | { readonly kind: 'bool' }
  | { readonly kind: 'optional' | 'list'; readonly of: DamlShape }
  | { readonly kind: 'map'; readonly key: DamlShape; readonly value: DamlShape }
  | { readonly kind: 'enum'; readonly constructors: readonly string[] }
  | { readonly kind: 'variant'; readonly cases: Readonly<Record<string, DamlShape>> }
  | { readonly kind: 'record'; readonly fields: Readonly<Record<string, DamlShape>> }

declare const meaning: unique symbol

/** A Daml type. `V` is the TypeScript type of its values in JSON. */
export type DamlType<V extends DamlValue = DamlValue> = DamlShape & { readonly [meaning]?: V }

export type ValueOf<T> = T extends { readonly [meaning]?: infer V } ? Exclude<V, undefined> : never

type RecordFields = Readonly<Record<string, DamlType>>
type RecordOf<F extends RecordFields> = { readonly [K in keyof F]: ValueOf<F[K]> }
type VariantOf<C extends RecordFields> = {
  readonly [K in keyof C & string]: { readonly tag: K; readonly value: ValueOf<C[K]> }
}[keyof C & string]

export const text: DamlType<string> = { kind: 'text' }
export const party: DamlType<string> = { kind: 'party' }
export const contractId: DamlType<string> = { kind: 'contractId' }
export const int64: DamlType<string> = { kind: 'int64' }
export const decimalType: DamlType<string> = { kind: 'decimal' }
export const time: DamlType<string> = { kind: 'time' }
export const bool: DamlType<boolean> = { kind: 'bool' }
export const unit = record({})
export const relTime = record({ microseconds: int64 })

/** `of` must not be optional itself, because JSON represents nested optionals differently. */
export function optional<T extends DamlType>(of: T): DamlType<ValueOf<T> | null> {
  return { kind: 'optional', of }
}

export function list<T extends DamlType>(of: T): DamlType<readonly ValueOf<T>[]> {
  return { kind: 'list', of }
}

/** A Daml `GenMap`. Its JSON is a list of pairs, sorted by key. */
export function map<K extends DamlType, V extends DamlType>(
  key: K,
  value: V,
): DamlType<readonly (readonly [ValueOf<K>, ValueOf<V>])[]> {
  return { kind: 'map', key, value }
}

export function enumeration<const C extends string>(...constructors: readonly C[]): DamlType<C> {
  return { kind: 'enum', constructors }
}

export function variant<C extends RecordFields>(cases: C): DamlType<VariantOf<C>> {
  return { kind: 'variant', cases }
}

export function record<F extends RecordFields>(fields: F): DamlType<RecordOf<F>> {
  return { kind: 'record', fields }
}
