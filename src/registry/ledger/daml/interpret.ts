import type { Command, Submission } from '../ledger.ts'
import { type Contract, type Node, withBlob } from '../update.ts'
import {
  type ContractId,
  covers,
  type DamlRecord,
  type DamlValue,
  type Micros,
  meet,
  type Party,
  partySet,
} from '../value.ts'
import { type Refusal, Refused } from './refused.ts'
import { archiving, type Choice, type ChoiceActions, type ContractOf, type Template } from './template.ts'
import { conform } from './type.ts'

export interface InterpretationContext {
  readonly now: Micros
  /** Makes the id of the contract that a node of this transaction creates. */
  contractIdAt(nodeId: number): ContractId
  /** Finds an active contract, even one that the submitter may not see. */
  contract(contractId: ContractId): Contract | undefined
}

export interface Interpretation {
  readonly kind: 'transaction'
  readonly nodes: readonly Node[]
}

/**
 * Computes the transaction of a submission by Daml's rules, without a change to the ledger. Each
 * action needs authority:
 * - A create needs the authority of the contract's signatories.
 * - An exercise needs the authority of the choice's controllers.
 * - A fetch needs the authority of one stakeholder.
 * - The commands of a submission have the authority of `actAs`.
 * - The body of a choice has the authority of the contract's signatories and the choice's
 *   controllers.
 *
 * As on a participant, a submission may use a contract only in three cases. A party in `actAs` is a
 * stakeholder, or the submission discloses the contract, or the submission created it. This rule also covers contracts that the body of a choice reads. For example, a user must
 * disclose the mining round, because only the super validators' party (DSO) is its stakeholder.
 */
export function interpret(submission: Submission, context: InterpretationContext): Interpretation | Refusal {
  try {
    return new SubmissionInterpreter(submission, context).run()
  } catch (error) {
    if (error instanceof Refused) return error.refusal
    throw error
  }
}

interface Frame {
  readonly authority: readonly Party[]
  readonly witnesses: readonly Party[]
}

class SubmissionInterpreter {
  readonly #submission: Submission
  readonly #context: InterpretationContext
  /**
   * The contracts that the submission discloses or created, and those that it has read so far. The
   * submission may use all of them. A disclosed blob is not compared: only this program submits.
   */
  readonly #known = new Map<ContractId, Contract>()
  readonly #consumed = new Set<ContractId>()
  readonly #nodes: Node[] = []

  constructor(submission: Submission, context: InterpretationContext) {
    this.#submission = submission
    this.#context = context
  }

  run(): Interpretation {
    const { actAs, commands, disclosed } = this.#submission
    for (const { contractId } of disclosed) {
      const contract = this.#context.contract(contractId)
      if (contract !== undefined) this.#known.set(contractId, contract)
    }
    const frame: Frame = { authority: partySet(actAs), witnesses: [] }
    for (const command of commands) this.#obey(command, frame)
    return { kind: 'transaction', nodes: this.#nodes }
  }

  #obey(command: Command, frame: Frame): void {
    if (command.kind === 'create') {
      const { template, argument } = command
      this.#create(frame, template, conform(template.argument, argument))
    } else {
      const { choice, contractId, argument } = command
      this.#exercise(frame, choice, contractId, conform(choice.argument, argument))
    }
  }

  #create(frame: Frame, template: Template, argument: DamlRecord): ContractId {
    const signatories = partySet(template.signatories(argument))
    authorize(frame, signatories, `create of ${template.name}`)
    const { now: createdAt } = this.#context
    const nodeId = this.#nodes.length
    const contract = withBlob({
      contractId: this.#context.contractIdAt(nodeId),
      templateId: template.templateId,
      packageName: template.package.name,
      argument,
      signatories,
      createdAt,
    })
    this.#known.set(contract.contractId, contract)
    this.#nodes.push({
      kind: 'create',
      nodeId,
      contract,
      witnesses: partySet(frame.witnesses, signatories),
    })
    return contract.contractId
  }

  #exercise<A extends DamlRecord, C extends DamlRecord, R extends DamlValue>(
    frame: Frame,
    choice: Choice<A, C, R>,
    contractId: ContractId,
    argument: C,
  ): R {
    const contract = this.#find(choice.template, contractId)
    const { signatories, templateId, packageName } = contract
    const actingParties = partySet(choice.controllers(contract, argument))
    authorize(frame, actingParties, `exercise of ${choice.name} on ${contractId}`)
    if (choice.consuming) this.#consumed.add(contractId)

    const witnesses = partySet(frame.witnesses, signatories, actingParties)
    const nodeId = this.#nodes.length
    const node = {
      kind: 'exercise' as const,
      nodeId,
      lastDescendantNodeId: nodeId,
      contractId,
      templateId,
      packageName,
      choice: choice.name,
      argument,
      result: null as DamlValue,
      consuming: choice.consuming,
      actingParties,
      signatories,
      witnesses,
    }
    this.#nodes.push(node)
    const inner: Frame = { authority: partySet(signatories, actingParties), witnesses }
    const result = choice.run(this.#scope(inner), contract, argument)
    node.result = result
    node.lastDescendantNodeId = this.#nodes.length - 1
    return result
  }

  #scope(frame: Frame): ChoiceActions {
    return {
      now: this.#context.now,
      create: (template, argument) => this.#create(frame, template, argument),
      exercise: (choice, contractId, argument) => this.#exercise(frame, choice, contractId, argument),
      fetch: (template, contractId) => this.#fetch(frame, template, contractId),
      archive: (template, contractId) => {
        this.#exercise(frame, archiving(template), contractId, {})
      },
    }
  }

  #fetch<A extends DamlRecord>(frame: Frame, template: Template<A>, contractId: ContractId): ContractOf<A> {
    const contract = this.#find(template, contractId)
    const { signatories } = contract
    if (!meet(frame.authority, signatories)) throw unauthorized(frame, signatories, `fetch of ${contractId}`)
    return contract
  }

  #find<A extends DamlRecord>(template: Template<A>, contractId: ContractId): ContractOf<A> {
    if (this.#consumed.has(contractId)) {
      throw new Refused('CONTRACT_NOT_ACTIVE', `${contractId} was archived by the submission itself`)
    }
    const contract = this.#known.get(contractId) ?? this.#read(contractId)
    if (!contract.templateId.endsWith(`:${template.name}`)) {
      throw new Refused('DAML_INTERPRETATION_ERROR', `${contractId} is no contract of ${template.name}`)
    }
    return contract as ContractOf<A>
  }

  #read(contractId: ContractId): Contract {
    const contract = this.#context.contract(contractId)
    if (contract === undefined || !meet(contract.signatories, this.#submission.actAs)) {
      throw new Refused('CONTRACT_NOT_FOUND', `Contract could not be found with id ${contractId}`)
    }
    this.#known.set(contractId, contract)
    return contract
  }
}

function authorize(frame: Frame, needed: readonly Party[], act: string): void {
  if (!covers(frame.authority, needed)) throw unauthorized(frame, needed, act)
}

function unauthorized(frame: Frame, needed: readonly Party[], act: string): Refused {
  return new Refused(
    'DAML_AUTHORIZATION_ERROR',
    `${act} requires authorizers ${needed.join(', ')}, but only ${frame.authority.join(', ')} were given`,
  )
}
