import { nameServiceDuties } from '../automation/duties.ts'
import { Automation } from '../automation/loop.ts'
import type { StartService, ThreadContext } from '../ledger/embedded/thread-service.ts'
import type { Clock } from '../lib/clock.ts'
import { Rules } from '../names/cached-rules.ts'
import { onOneLedger, Registry } from '../names/registry.ts'
import { Wallet } from '../wallet/wallet.ts'
import {
  answerOf,
  type Call,
  type NameServiceOf,
  type NameServiceProtocol,
  type NameServiceRequest,
  perform,
  type UserServices,
} from './calls.ts'
import { loggerTo } from './lines.ts'

/** Starts the name service in the ledger's thread. The main thread calls it through `stub.ts`. */
export const startNameService: StartService<NameServiceProtocol> = (context) => {
  let service: NameService | undefined
  const handle = async (request: NameServiceRequest): Promise<unknown> => {
    if (request.kind === 'begin') {
      service = new NameService(request, context)
      return service.automation.start()
    }
    if (service === undefined) throw new Error('the name service has not begun')
    switch (request.kind) {
      case 'call':
        return service.call(request)
      case 'run-duties':
        return service.automation.runDuties()
      case 'run-until-idle':
        return service.automation.runUntilIdle()
      case 'end':
        return service[Symbol.asyncDispose]()
    }
  }
  return { answer: (request) => answerOf(handle(request)) }
}

class NameService implements AsyncDisposable {
  readonly automation: Automation
  readonly #rules: Rules
  readonly #services: UserServices
  readonly #calls = new Set<Promise<unknown>>()

  constructor({ dso, acronym }: NameServiceOf, context: ThreadContext<NameServiceProtocol>) {
    const { ledger } = context
    const rules = new Rules(dso, ledger)
    const clock = clockOf(context)
    const logger = loggerTo((line) => context.send(line))
    this.#rules = rules
    this.#services = {
      registry: new Registry({ acronym }, { ...onOneLedger(ledger), rules, clock }),
      wallet: new Wallet({ ledger, rules, clock }),
    }
    const duties = nameServiceDuties({ ledger, rules, acronym, logger })
    this.automation = new Automation(duties, { ledger, clock, logger })
  }

  async call(call: Call): Promise<unknown> {
    const made = perform(this.#services, call)
    this.#calls.add(made)
    try {
      const value = await made
      // Renewals may be due that the user paid by hand until now.
      if (call.method === 'setRenewing') void this.automation.runDuties()
      return value
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

/**
 * Returns a clock that shows the time of the main thread's last message. The clock has no timers:
 * `after` never calls its function. Instead, the main thread sends `run-duties` every half minute.
 */
function clockOf({ now }: ThreadContext<NameServiceProtocol>): Clock {
  const ms = () => now() / 1000
  return { now: ms, wall: ms, after: () => () => {} }
}
