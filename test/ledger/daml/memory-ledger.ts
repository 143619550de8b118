import type { Command, Refusal } from '../../../src/ledger/command.ts'
import { type Interpretation, interpret } from '../../../src/ledger/daml/interpret.ts'
import type { Choice, ContractOf, Template, Templates } from '../../../src/ledger/daml/template.ts'
import { type Contract, contractChangesOf, type Node } from '../../../src/ledger/update.ts'
import type { ContractId, DamlRecord, DamlValue, Micros, Party } from '../../../src/ledger/value.ts'

export interface Submitted {
  readonly actAs: readonly Party[]
  readonly readAs?: readonly Party[]
  readonly disclosed?: readonly Contract[]
}

export interface Recorded {
  readonly actAs: readonly Party[]
  readonly now: Micros
  readonly nodes: readonly Node[]
  /** The contracts that the transaction used, as they were before the transaction. */
  readonly inputs: ReadonlyMap<ContractId, Contract>
}

export class MemoryLedger {
  now: Micros
  readonly active = new Map<ContractId, Contract>()
  readonly history: Recorded[] = []
  readonly #templates: Templates

  constructor(templates: Templates, now: Micros = Date.UTC(2026, 0, 1) * 1000) {
    this.#templates = templates
    this.now = now
  }

  submit(by: Submitted, ...commands: readonly Command[]): Interpretation | Refusal {
    const inputs = new Map<ContractId, Contract>()
    const outcome = interpret(
      {
        commandId: String(this.history.length),
        userId: 'user',
        workflowId: '',
        actAs: by.actAs,
        readAs: by.readAs ?? [],
        commands,
        disclosed: by.disclosed ?? [],
      },
      {
        now: this.now,
        seed: `transaction ${this.history.length}`,
        firstNode: 0,
        contract: (contractId) => {
          const contract = this.active.get(contractId)
          if (contract !== undefined) inputs.set(contractId, contract)
          return contract
        },
      },
      this.#templates,
    )
    if (outcome.kind === 'refused') return outcome
    const { created, archived } = contractChangesOf(outcome.nodes)
    for (const contractId of archived) this.active.delete(contractId)
    for (const contract of created) this.active.set(contract.contractId, contract)
    this.history.push({ actAs: by.actAs, now: this.now, nodes: outcome.nodes, inputs })
    return outcome
  }

  list<A extends DamlRecord>(template: Template<A>): readonly ContractOf<A>[] {
    return [...this.active.values()].filter(({ templateId }) =>
      templateId.endsWith(`:${template.name}`),
    ) as never
  }

  only<A extends DamlRecord>(template: Template<A>): ContractOf<A> {
    const [first, ...more] = this.list(template)
    if (first === undefined || more.length > 0)
      throw new Error(`${more.length + 1} contracts of ${template.name}`)
    return first
  }
}

export function create<A extends DamlRecord>(template: Template<A>, argument: A): Command {
  return { kind: 'create', template: template.name, argument }
}

export function exercise<A extends DamlRecord, C extends DamlRecord, R extends DamlValue>(
  choice: Choice<A, C, R>,
  contractId: ContractId,
  argument: C,
): Command {
  return { kind: 'exercise', template: choice.template.name, contractId, choice: choice.name, argument }
}

/** Returns one line for each node of the transaction. Each level of the tree indents its lines by two more spaces. */
export function tree(outcome: Interpretation | Refusal): readonly string[] {
  if (outcome.kind === 'refused') throw new Error(`${outcome.code}: ${outcome.message}`)
  const ends: number[] = []
  return outcome.nodes.map((node) => {
    while (ends.length > 0 && node.nodeId > (ends.at(-1) as number)) ends.pop()
    const line = `${'  '.repeat(ends.length)}${labelOf(node)}`
    if (node.kind === 'exercise') ends.push(node.lastDescendantNodeId)
    return line
  })
}

function labelOf(node: Node): string {
  if (node.kind === 'create') return `create ${entityOf(node.contract.templateId)}`
  return node.choice === 'Archive' ? `Archive ${entityOf(node.templateId)}` : node.choice
}

function entityOf(templateId: string): string {
  return templateId.slice(templateId.lastIndexOf(':') + 1)
}
