import { type Annals, type AnnalsFacts, establishedBy, noAnnals, validatorLicense } from './annals.ts'
import { coinsOf } from './coins.ts'
import { type Contract, createContract, type Json } from './contract.ts'
import type { Member } from './dso.ts'
import { updatesOf } from './history.ts'
import type { Identifiers } from './identifiers.ts'
import { isoTime, type Micros } from './instant.ts'
import { assignedContract } from './network.ts'

const minute = 60_000_000
const day = 24 * 60 * minute

export function annalsOf(identifiers: Identifiers, facts: AnnalsFacts): Annals {
  const stage = new Stage(identifiers, facts)
  const { members, dso, startedAt, foundedAt } = facts
  const { alice, bob, acme, kite } = stage
  const preapprovals = [alice, acme].map((receiver) => stage.preapproval(receiver))
  const featuredApps = [acme, acme, kite].map((provider, at) =>
    stage.contract('Splice.Amulet:FeaturedAppRight', { dso, provider }, 5_000 - at),
  )
  const voteRequests = members
    .slice(0, 2)
    .map((member, at) => stage.voteRequest(member, `Reason ${at}`, 60 + at))
  return {
    ...noAnnals,
    ...establishedBy(identifiers, facts, foundedAt),
    featuredApps,
    preapprovals,
    counters: [
      stage.assigned(
        'Splice.ExternalPartyAmuletRules:TransferCommandCounter',
        { dso, sender: alice, nextNonce: '4' },
        30,
      ),
    ],
    commands: [
      stage.command(1, { status: 'sent' }),
      stage.command(2, { status: 'failed', failure_kind: 'expired', reason: 'the command has expired' }),
      stage.command(3, { status: 'created' }),
    ],
    coupons: [1, 2, 3].map((number) => stage.coupon(number)),
    licenses: [acme, kite].map((validator, at) => stage.license(validator, 9_000 - at)),
    voteRequests,
    voteResults: members.slice(0, 2).map((member, at) => stage.voteResult(member, at)),
    instructions: [{ contractId: identifiers.contractId() }],
    allocations: [{ contractId: identifiers.contractId() }],
    coins: coinsOf(identifiers, { dso, startedAt, alice, bob }),
    updates: updatesOf(identifiers, { ...facts, alice, bob }),
  }
}

class Stage {
  readonly #identifiers: Identifiers
  readonly #facts: AnnalsFacts
  readonly alice: string
  readonly bob: string
  readonly acme: string
  readonly kite: string

  constructor(identifiers: Identifiers, facts: AnnalsFacts) {
    this.#identifiers = identifiers
    this.#facts = facts
    const partyOf = (owner: string) => facts.parties.get(owner) ?? identifiers.unique(owner)
    this.alice = partyOf('alice')
    this.bob = partyOf('bob')
    this.acme = partyOf('acme-validator-1')
    this.kite = partyOf('kite-labs-validator')
  }

  contract(template: string, payload: Contract['payload'], minutesAgo: number): Contract {
    const id = `${this.#identifiers.hex(64)}:${template}`
    return createContract(this.#identifiers, id, payload, this.#ago(minutesAgo))
  }

  assigned(template: string, payload: Contract['payload'], minutesAgo: number) {
    return assignedContract(this.#identifiers, this.#facts, {
      template,
      payload,
      createdAt: this.#ago(minutesAgo),
    })
  }

  preapproval(receiver: string) {
    const { dso, startedAt } = this.#facts
    const madeAt = isoTime(this.#ago(100))
    const payload = {
      dso,
      receiver,
      provider: this.acme,
      validFrom: madeAt,
      lastRenewedAt: madeAt,
      expiresAt: isoTime(startedAt + 90 * day),
    }
    return this.assigned('Splice.AmuletRules:TransferPreapproval', payload, 100)
  }

  command(nonce: number, status: Json) {
    const { dso, startedAt } = this.#facts
    const payload = {
      dso,
      sender: this.alice,
      receiver: this.bob,
      delegate: this.acme,
      amount: '5.0',
      expiresAt: isoTime(startedAt + 10 * minute),
      nonce: String(nonce),
      description: null,
    }
    const contract = this.contract('Splice.ExternalPartyAmuletRules:TransferCommand', payload, 40 - nonce)
    return { contract, status }
  }

  coupon(number: number) {
    const { dso, latestNumber } = this.#facts
    const payload = { dso, round: { number: String(latestNumber - number) }, amount: `${number}00.0` }
    return this.assigned('Splice.Amulet:UnclaimedDevelopmentFundCoupon', payload, 10 * number)
  }

  license(validator: string, minutesAgo: number): Contract {
    const { dso, latestNumber, members } = this.#facts
    const received = { first: latestNumber - 1_000, last: latestNumber - 1, missed: 7 }
    const sponsor = members[0]?.party ?? dso
    const payload = validatorLicense({ dso, validator, sponsor }, received, this.#ago(20))
    return this.contract('Splice.ValidatorLicense:ValidatorLicense', payload, minutesAgo)
  }

  voteRequest(requester: Member, reason: string, minutesAgo: number): Contract {
    const { dso, startedAt } = this.#facts
    const grant = { tag: 'SRARC_GrantFeaturedAppRight', value: { provider: this.kite } }
    const payload = {
      dso,
      requester: requester.name,
      action: { tag: 'ARC_DsoRules', value: { dsoAction: grant } },
      reason: { url: 'https://governance.example', body: reason },
      voteBefore: isoTime(startedAt + 7 * day),
      votes: [],
      trackingCid: null,
      targetEffectiveAt: null,
    }
    return this.contract('Splice.DsoRules:VoteRequest', payload, minutesAgo)
  }

  voteResult(requester: Member, at: number) {
    const completedAt = isoTime(this.#facts.startedAt - (at + 1) * day)
    return {
      request: this.voteRequest(requester, `Closed ${at}`, 20_000 + at).payload,
      completedAt,
      offboardedVoters: [],
      abstainingSvs: [],
      outcome: { tag: 'VRO_Accepted', value: { effectiveAt: completedAt } },
    }
  }

  #ago(minutes: number): Micros {
    return this.#facts.startedAt - minutes * minute
  }
}
