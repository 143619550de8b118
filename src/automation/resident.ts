import type { MoveIn, Residence } from '../ledger/embedded/resident.ts'
import type { Party } from '../ledger/value.ts'
import type { Clock } from '../lib/clock.ts'
import { Rules } from '../names/rules.ts'
import type { Fields, Logger } from '../telemetry/logger.ts'
import { nameServiceDuties } from './duties.ts'
import { Automation } from './loop.ts'

/** What is asked of automation that lives in its ledger's thread. */
export type Question =
  | ({ readonly kind: 'begin' } & NameServiceOf)
  /** To look at everything. */
  | { readonly kind: 'look' }
  /** To look until there is nothing left to do at this time. */
  | { readonly kind: 'settle' }
  /** To do no more, and say when what is under way is done. */
  | { readonly kind: 'end' }

export interface NameServiceOf {
  readonly dso: Party
  /** Of the name service, in lower case. */
  readonly acronym: string
}

/** A line for the log. */
export interface Line {
  readonly level: 'debug' | 'info' | 'warn' | 'error'
  readonly fields: Fields
  readonly message: string
}

/** Automation of a name service, in the thread of its ledger. */
export const residentAutomation: MoveIn = (residence) => {
  let automation: Automation | undefined
  let rules: Rules | undefined
  return {
    async answer(asked) {
      const question = asked as Question
      switch (question.kind) {
        case 'begin':
          rules = new Rules(question.dso, residence.ledger)
          automation = automationOf(residence, rules, question)
          return automation.start()
        case 'look':
          return automation?.look()
        case 'settle':
          return automation?.settle()
        case 'end':
          await automation?.[Symbol.asyncDispose]()
          rules?.[Symbol.dispose]()
      }
    },
  }
}

function automationOf(residence: Residence, rules: Rules, { acronym }: NameServiceOf): Automation {
  const { ledger } = residence
  const logger = loggerTo((line) => residence.say(line))
  const duties = nameServiceDuties({ ledger, rules, acronym, logger })
  return new Automation({ duties }, { ledger, clock: clockOf(residence), logger })
}

/** Time passes when something is asked, and nothing waits for it: those outside say when to look. */
function clockOf({ now }: Residence): Clock {
  const ms = () => now() / 1000
  return { now: ms, wall: ms, after: () => () => {} }
}

function loggerTo(say: (line: Line) => void, more: Fields = {}): Logger {
  const at = (level: Line['level']) => (fields: Fields, message: string) =>
    say({
      level,
      fields: { ...more, ...fields, ...('err' in fields && { err: plain(fields['err']) }) },
      message,
    })
  return {
    atDebug: false,
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    child: (fields) => loggerTo(say, { ...more, ...fields }),
  }
}

/** An error of a class of its own is not itself any more in another thread. */
function plain(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const { name: type, message, stack } = error
  return { type, message, stack }
}
