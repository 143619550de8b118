import { Caller, lookUp } from '../support/caller.ts'
import { units } from './coin.ts'

export const steps = ['ask', 'tap', 'accept', 'see'] as const
export type Step = (typeof steps)[number]

export interface Registration {
  readonly name: string
  /** The coin that the person mints for the registration, in USD and in units of coin. */
  readonly usd: string
  readonly coin: bigint
  answered: number
  contextCid?: string
  requestCid?: string
  coinCid?: string
  paymentCid?: string
  entryCid?: string
}

export interface Holdings {
  readonly entries: readonly string[]
  readonly requests: readonly string[]
  readonly payments: number
  readonly subscriptions: number
  readonly unlocked: bigint
  readonly locked: bigint
}

/** The price of a name in units of coin, at the price of coin with which a localnet begins. */
const fee = units('200')
/**
 * The amounts that a person mints in turn. The first amount leaves change, and the second pays only together with that
 * change. So every second payment uses two coins.
 */
const taps = [
  { usd: '1.5', coin: units('300') },
  { usd: '0.5', coin: units('100') },
] as const
const unknownRequest = 'one whose id nobody was told'

/** A person who registers one name after the other, and repeats each request that was not answered. */
export class Person {
  readonly registrations: Registration[] = []
  readonly #caller: Caller
  #isUnsure = false

  constructor(caller: Caller) {
    this.#caller = caller
  }

  static async of(userId: string): Promise<Person> {
    return new Person(await Caller.of(userId))
  }

  get userId(): string {
    return this.#caller.userId
  }

  /** The step whose request was not answered. The daemon may or may not have performed the step. */
  get unsure(): { readonly registration: Registration; readonly step: Step } | undefined {
    const registration = this.registrations.at(-1)
    const step = steps[registration?.answered ?? steps.length]
    return this.#isUnsure && registration && step ? { registration, step } : undefined
  }

  async live(base: string, names: Iterator<string>, answered: () => void): Promise<void> {
    for (;;) {
      const registration = this.#current() ?? this.#next(names)
      if (registration === undefined) return
      this.#isUnsure = true
      try {
        await this.#take(steps[registration.answered] as Step, registration, base)
      } catch (error) {
        if (isGone(error)) return
        throw error
      }
      this.#isUnsure = false
      registration.answered++
      answered()
    }
  }

  /**
   * Returns what the person may have when the automation has done what is due. If one step was not answered, there are
   * two possibilities: without that step, and with it.
   */
  possibleHoldings(): readonly Holdings[] {
    const known = holdingsOf(this.registrations)
    const { registration, step } = this.unsure ?? {}
    if (registration === undefined || step === 'see') return [known]
    const done = { ...registration, answered: registration.answered + 1 }
    return [known, holdingsOf([...this.registrations.slice(0, -1), done])]
  }

  async holdings(base: string): Promise<Holdings> {
    const get = (line: string) => this.#caller.get(base, line)
    const [{ entries }, { subscription_requests }, { initial_payments }, { subscriptions }, balance] =
      await Promise.all([
        get('GET /v0/entry/all'),
        get('GET /v0/wallet/subscription-requests'),
        get('GET /v0/wallet/subscription-initial-payments'),
        get('GET /v0/wallet/subscriptions'),
        get('GET /v0/wallet/balance'),
      ])
    return {
      entries: entries.map(({ name, contractId }: Record<string, string>) => this.#shown(name, contractId)),
      requests: subscription_requests.map(({ contract_id }: Record<string, string>) =>
        contract_id === this.#current()?.requestCid ? contract_id : unknownRequest,
      ),
      payments: initial_payments.length,
      subscriptions: subscriptions.length,
      unlocked: units(balance.effective_unlocked_qty),
      locked: units(balance.effective_locked_qty),
    }
  }

  #shown(name: string | undefined, contractId: string | undefined): string {
    const registration = this.registrations.find((each) => each.name === name)
    return registration?.entryCid === undefined ? `${name}` : `${name} ${contractId}`
  }

  #current(): Registration | undefined {
    const last = this.registrations.at(-1)
    return last === undefined || last.answered === steps.length ? undefined : last
  }

  #next(names: Iterator<string>): Registration | undefined {
    const { value: name, done } = names.next()
    if (done === true) return undefined
    const registration = { name, ...taps[this.registrations.length % 2 ? 1 : 0], answered: 0 }
    this.registrations.push(registration)
    return registration
  }

  async #take(step: Step, registration: Registration, base: string): Promise<void> {
    const { name, usd, requestCid = '' } = registration
    switch (step) {
      case 'ask': {
        const asked = await this.#caller.ask(base, name)
        registration.contextCid = asked.entryContextCid
        registration.requestCid = asked.subscriptionRequestCid
        return
      }
      case 'tap':
        registration.coinCid = (await this.#caller.tap(base, usd, name)).contract_id
        return
      case 'accept':
        registration.paymentCid = (await this.#caller.accept(base, requestCid)).initial_payment_contract_id
        return
      case 'see':
        registration.entryCid = await this.#see(base, name)
    }
  }

  /** Looks a name up until it is found. The name is paid for, so only the automation can delay it. */
  async #see(base: string, name: string): Promise<string> {
    for (;;) {
      const { status, body } = await this.#caller.call(base, lookUp(name))
      if (status === 200) return body.entry.contract_id
      if (status !== 404) throw new Error(`${name}: ${status} ${JSON.stringify(body)}`)
    }
  }
}

function holdingsOf(registrations: readonly Registration[]): Holdings {
  const after = (step: Step) => registrations.filter(({ answered }) => answered > steps.indexOf(step))
  const paid = after('accept')
  const waiting = after('ask').slice(paid.length)
  return {
    entries: paid.map(({ name, entryCid }) => (entryCid === undefined ? name : `${name} ${entryCid}`)),
    requests: waiting.map(({ requestCid = unknownRequest }) => requestCid),
    payments: 0,
    subscriptions: paid.length,
    unlocked: after('tap').reduce((sum, { coin }) => sum + coin, 0n) - fee * BigInt(paid.length),
    locked: 0n,
  }
}

function isGone(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return code === 'ECONNRESET' || code === 'ECONNREFUSED' || code === 'EPIPE'
}
