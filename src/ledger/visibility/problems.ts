import { type Catalog, resolve } from './catalog.ts'
import {
  type EventFormat,
  eventFormatsOf,
  referenceText,
  type TypeReference,
  type UpdateFormat,
} from './format.ts'

/**
 * A reason to reject a format on every ledger, whatever packages that ledger knows. Canton 3.5
 * rejects the same formats.
 */
export type FormatProblem =
  | { readonly kind: 'no-filters' }
  | { readonly kind: 'package-id'; readonly reference: string }

/**
 * The names in a format that are unknown to the ledger. Like Canton, the ledger reports only one
 * kind. It reports templates only if it knows all packages, and interfaces only if it also knows
 * all templates.
 */
export type UnknownType =
  | { readonly kind: 'package-names'; readonly names: readonly string[] }
  | { readonly kind: 'templates'; readonly references: readonly string[] }
  | { readonly kind: 'interfaces'; readonly references: readonly string[] }

export function problemOfUpdates(format: UpdateFormat): FormatProblem | undefined {
  return first(eventFormatsOf(format), problemOfEvents)
}

export function problemOfEvents(format: EventFormat): FormatProblem | undefined {
  if (format.filtersByParty.size === 0 && format.filtersForAnyParty === undefined)
    return { kind: 'no-filters' }
  const named = [...referencesOf(format, 'template'), ...referencesOf(format, 'interface')]
  const byId = named.find((reference) => reference.package.by === 'id')
  return byId === undefined ? undefined : { kind: 'package-id', reference: referenceText(byId) }
}

export function unknownInUpdates(format: UpdateFormat, catalog: Catalog): UnknownType | undefined {
  return first(eventFormatsOf(format), (events) => unknownInEvents(events, catalog))
}

export function unknownInEvents(format: EventFormat, catalog: Catalog): UnknownType | undefined {
  const templates = referencesOf(format, 'template')
  const interfaces = referencesOf(format, 'interface')
  const packages = new Set(catalog.packageNames.values())
  const names = [...templates, ...interfaces]
    .map((reference) => resolve(catalog, reference)?.split(':')[0] ?? reference.package.value)
    .filter((name) => !packages.has(name))
  if (names.length > 0) return { kind: 'package-names', names: [...new Set(names)] }
  const noTemplates = unknown(templates, catalog, catalog.templates)
  if (noTemplates.length > 0) return { kind: 'templates', references: noTemplates }
  const noInterfaces = unknown(interfaces, catalog, catalog.interfaces)
  return noInterfaces.length > 0 ? { kind: 'interfaces', references: noInterfaces } : undefined
}

function unknown(
  references: readonly TypeReference[],
  catalog: Catalog,
  known: { has(name: string): boolean },
): readonly string[] {
  const missing = references.filter((reference) => !known.has(resolve(catalog, reference) ?? ''))
  return [...new Set(missing.map(referenceText))]
}

function referencesOf(format: EventFormat, kind: 'template' | 'interface'): readonly TypeReference[] {
  const { filtersByParty, filtersForAnyParty } = format
  const filters = [
    ...filtersByParty.values(),
    ...(filtersForAnyParty === undefined ? [] : [filtersForAnyParty]),
  ]
  return filters.flatMap(({ cumulative }) =>
    cumulative.flatMap((filter) => {
      if (filter.kind !== kind) return []
      return filter.kind === 'template' ? [filter.templateId] : [filter.interfaceId]
    }),
  )
}

function first<T, R>(items: readonly T[], find: (item: T) => R | undefined): R | undefined {
  for (const item of items) {
    const found = find(item)
    if (found !== undefined) return found
  }
  return undefined
}
