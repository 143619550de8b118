import { nameServiceDuties } from '../automation/duties.ts'
import { Automation } from '../automation/loop.ts'
import type { MoveIn, Residence } from '../ledger/embedded/thread-service.ts'
import type { Clock } from '../lib/clock.ts'
import { onOneLedger, Registry } from '../names/registry.ts'
import { Rules } from '../names/rules.ts'
import { Wallet } from '../wallet/wallet.ts'
import { type Call, type NameServiceOf, perform, type Question, type UserServices } from './calls.ts'
import { loggerTo } from './lines.ts'

/** A name service, in the thread of its ledger. */
export const residentNameService: MoveIn = (residence) => {
  let service: ResidentNameService | undefined
  return {
    async answer(asked) {
      const question = asked as Question
      if (question.kind === 'begin') {
        service = new ResidentNameService(question, residence)
        return service.automation.start()
      }
      if (service === undefined) throw new Error('the name service has not begun')
      switch (question.kind) {
        case 'call':
          return service.call(question)
        case 'look':
          return service.automation.look()
        case 'settle':
          return service.automation.settle()
        case 'end':
          return service[Symbol.asyncDispose]()
      }
    },
  }
}

class ResidentNameService implements AsyncDisposable {
  readonly automation: Automation
  readonly #rules: Rules
  readonly #services: UserServices
  readonly #calls = new Set<Promise<unknown>>()

  constructor({ dso, acronym }: NameServiceOf, residence: Residence) {
    const { ledger } = residence
    const rules = new Rules(dso, ledger)
    const clock = clockOf(residence)
    const logger = loggerTo((line) => residence.say(line))
    this.#rules = rules
    this.#services = {
      registry: new Registry({ acronym }, { ...onOneLedger(ledger), rules, clock }),
      wallet: new Wallet({ ledger, rules, clock }),
    }
    const duties = nameServiceDuties({ ledger, rules, acronym, logger })
    this.automation = new Automation({ duties }, { ledger, clock, logger })
  }

  async call(call: Call): Promise<unknown> {
    const made = perform(this.#services, call)
    this.#calls.add(made)
    try {
      return await made
    } finally {
      this.#calls.delete(made)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.allSettled(this.#calls)
    await this.automation[Symbol.asyncDispose]()
    this.#rules[Symbol.dispose]()
  }
}

/** Time passes when something is asked, and nothing waits for it: those outside say when to look. */
function clockOf({ now }: Residence): Clock {
  const ms = () => now() / 1000
  return { now: ms, wall: ms, after: () => () => {} }
}
