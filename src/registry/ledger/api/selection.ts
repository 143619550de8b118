import { Holding } from '../daml/packages.ts'
import { templates } from '../daml/splice/templates.ts'
import type { Template } from '../daml/template.ts'
import type { Contract } from '../update.ts'
import { type Party, templateNameOf } from '../value.ts'
import type { EventFormat, Filter } from './formats.ts'

/** The parts of a contract's events that a reader gets. */
export interface Selected {
  readonly witnessParties: readonly Party[]
  readonly hasBlob: boolean
  /** The template whose contracts show a view of the interface `Holding`; undefined without the view. */
  readonly viewed: Template | undefined
}

/**
 * Selects events by a format, to whose parties the reader has the right. An event shows the
 * witnesses that `filtersByParty` names, or all witnesses if the format has `filtersForAnyParty`
 * (EventProjectionProperties.scala).
 */
export class EventSelection {
  readonly #format: EventFormat

  constructor(format: EventFormat) {
    this.#format = format
  }

  /** Keeps the parties whose events the request asks for. */
  among(parties: readonly Party[]): readonly Party[] {
    const { filtersByParty, filtersForAnyParty } = this.#format
    return filtersForAnyParty === undefined ? parties.filter((party) => filtersByParty.has(party)) : parties
  }

  /**
   * Returns undefined if the reader does not get the event.
   * @param informed the parties that may get the event: its witnesses in a transaction of shape
   * `LEDGER_EFFECTS`, and the stakeholders of the contract in all other cases.
   */
  select(
    { templateId, packageName }: Pick<Contract, 'templateId' | 'packageName'>,
    informed: readonly Party[],
  ): Selected | undefined {
    const { filtersByParty, filtersForAnyParty = [] } = this.#format
    const witnessParties = this.among(informed)
    const name = templateNameOf(templateId)
    const template = templates.get(name)
    const matching = [
      ...filtersForAnyParty,
      ...witnessParties.flatMap((party) => filtersByParty.get(party) ?? []),
    ].filter((filter) => matches(filter, `#${packageName}:${name}`, template))
    if (matching.length === 0) return undefined
    return {
      witnessParties,
      hasBlob: matching.some(({ includeCreatedEventBlob }) => includeCreatedEventBlob),
      viewed: matching.some(({ includeInterfaceView }) => includeInterfaceView) ? template : undefined,
    }
  }
}

const holding = `#${Holding.package.name}:${Holding.name}`

function matches(filter: Filter, template: string, { holding: view }: Partial<Template> = {}): boolean {
  if (filter.template !== undefined) return filter.template === template
  return filter.interface === undefined || (filter.interface === holding && view !== undefined)
}
