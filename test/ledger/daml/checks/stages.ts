import { AnsEntry } from '../../../../src/ledger/daml/splice/ans.ts'
import { microsOf } from '../../../../src/ledger/daml/time.ts'
import { alice, day, done, Network } from '../network.ts'

export const name = 'alice.unverified.cns'

export function expiry(network: Network): number {
  return microsOf(network.ledger.only(AnsEntry).argument.expiresAt)
}

/** Makes a network on which alice has paid for a name, and the DSO has not collected the payment yet. */
export function paid(): Network {
  const network = new Network()
  done(network.tap(alice, '1000'))
  done(network.request(alice, name))
  done(network.accept(alice))
  return network
}

/** Makes a network on which alice has paid for a renewal, and the DSO has not collected the payment yet. */
export function renewing(): Network {
  const network = new Network()
  network.register(alice, name)
  network.advance(61 * day)
  done(network.renew(alice))
  return network
}

export function amounts(network: Network, owner: string): readonly string[] {
  return network.coinsOf(owner).map(({ argument }) => argument.amount.initialAmount)
}
