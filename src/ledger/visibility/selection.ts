import type { Contract } from '../update.ts'
import type { Party, TemplateId } from '../value.ts'
import { type Catalog, type Implementation, resolve, templateOf } from './catalog.ts'
import type { CumulativeFilter, EventFormat, Filters } from './format.ts'
import { mayReadAs, type ReadRights } from './rights.ts'

export interface Viewed extends Implementation {
  readonly interfaceId: TemplateId
}

interface Projection {
  readonly createdEventBlob: boolean
  readonly viewed: readonly Viewed[]
}

export interface EventProjection extends Projection {
  readonly witnessParties: readonly Party[]
}

export interface EventSelection {
  /** Keeps the parties whose events the request asks for and whom the reader may read as. */
  readAs(parties: readonly Party[]): readonly Party[]
  /**
   * Returns undefined if the reader does not get the event.
   * @param informed the parties that may get the event: its witnesses in a transaction of shape
   * `LEDGER_EFFECTS`, and the stakeholders of the contract in all other cases.
   */
  select(contract: Selectable, informed: readonly Party[]): EventProjection | undefined
}

type Selectable = Pick<Contract, 'packageName' | 'templateId'>

/**
 * The optional parts that a format adds to the events of one template's contracts: the blob and
 * views of interfaces. Without a projection, the format does not select the event.
 */
interface TemplateProjections {
  readonly any: Projection | undefined
  readonly byParty: ReadonlyMap<Party, Projection>
}

/**
 * An event shows the witnesses that `filtersByParty` names, or all witnesses if the format has
 * `filtersForAnyParty` (EventProjectionProperties.scala). Filters of parties that the reader may
 * not read as select nothing.
 */
export function selectionOf(format: EventFormat, rights: ReadRights, catalog: Catalog): EventSelection {
  const any = rights.readAsAnyParty ? format.filtersForAnyParty : undefined
  const byParty = [...format.filtersByParty].filter(([party]) => mayReadAs(rights, party))
  const parties = new Set(byParty.map(([party]) => party))
  const projectionsByTemplate = new Map<TemplateId, TemplateProjections>()

  const projectionsOf = (contract: Selectable): TemplateProjections => {
    const known = projectionsByTemplate.get(contract.templateId)
    if (known !== undefined) return known
    const template = templateOf(contract)
    const projected = byParty.flatMap(([party, filters]) => {
      const projection = projectionOf(filters, template, catalog)
      return projection === undefined ? [] : [[party, projection] as const]
    })
    const projections = { any: any && projectionOf(any, template, catalog), byParty: new Map(projected) }
    projectionsByTemplate.set(contract.templateId, projections)
    return projections
  }
  const readAs = (informed: readonly Party[]) =>
    any === undefined ? informed.filter((party) => parties.has(party)) : informed

  return {
    readAs,
    select(contract, informed) {
      const ofTemplate = projectionsOf(contract)
      const witnessParties = readAs(informed)
      if (ofTemplate.byParty.size === 0) return ofTemplate.any && { witnessParties, ...ofTemplate.any }
      const matching = ofTemplate.any === undefined ? [] : [ofTemplate.any]
      for (const party of witnessParties) {
        const projection = ofTemplate.byParty.get(party)
        if (projection !== undefined) matching.push(projection)
      }
      return matching.length === 0 ? undefined : { witnessParties, ...together(matching) }
    },
  }
}

function projectionOf({ cumulative }: Filters, template: string, catalog: Catalog): Projection | undefined {
  const filters = cumulative.filter(({ kind }) => kind !== 'empty')
  if (filters.length === 0) return { createdEventBlob: false, viewed: [] }
  const projections = filters.map((filter) => projectionOfOne(filter, template, catalog))
  const matching = projections.filter((projection) => projection !== undefined)
  return matching.length === 0 ? undefined : together(matching)
}

function projectionOfOne(
  filter: CumulativeFilter,
  template: string,
  catalog: Catalog,
): Projection | undefined {
  switch (filter.kind) {
    case 'empty':
      return undefined
    case 'wildcard':
      return { createdEventBlob: filter.includeCreatedEventBlob, viewed: [] }
    case 'template':
      if (resolve(catalog, filter.templateId) !== template) return undefined
      return { createdEventBlob: filter.includeCreatedEventBlob, viewed: [] }
    case 'interface': {
      const implemented = catalog.interfaces.get(resolve(catalog, filter.interfaceId) ?? '')?.get(template)
      if (implemented === undefined) return undefined
      const { interfaceId } = implemented.instance.interface
      const viewed = filter.includeInterfaceView ? [{ ...implemented, interfaceId }] : []
      return { createdEventBlob: filter.includeCreatedEventBlob, viewed }
    }
  }
}

function together(projections: readonly Projection[]): Projection {
  const [first, ...others] = projections
  if (first !== undefined && others.length === 0) return first
  const viewed = new Map(projections.flatMap((one) => one.viewed).map((one) => [one.interfaceId, one]))
  return {
    createdEventBlob: projections.some(({ createdEventBlob }) => createdEventBlob),
    viewed: [...viewed.keys()].sort().map((id) => viewed.get(id) as Viewed),
  }
}
