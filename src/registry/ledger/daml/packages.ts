/** The ids are those of the packages in Splice's releases (daml/dars.lock). */
export interface Package {
  readonly name: string
  readonly id: string
}

export const amuletPackage: Package = {
  name: 'splice-amulet',
  id: 'fb10433a48c24f30076a7aee03a3e314b7ab02fe9a22e2069e3af92d2b6ac88a',
}

export const paymentsPackage: Package = {
  name: 'splice-wallet-payments',
  id: '866ea53bea2afc099c560ad4c386a1736859841b17c422836f133d605ee51616',
}

export const nameServicePackage: Package = {
  name: 'splice-amulet-name-service',
  id: '9cffe65feb664c9550937433067e9f969e3795c6fb38715e06a5e04fc1ae1f83',
}

/**
 * The package of the `AnsRules` contract on a new network. The contract keeps this package id when
 * later versions of the package are released.
 */
export const foundingNameServicePackage: Package = {
  name: 'splice-amulet-name-service',
  id: '053c7f4c2a77312e7d465a4fa7dc8cb298754ad12c0c987a7c401bd724e65efc',
}

/** A Daml interface. Its id is `<package id>:Module.Path:Entity`. */
interface Interface {
  readonly name: string
  readonly package: Package
}

export const Holding: Interface = {
  name: 'Splice.Api.Token.HoldingV1:Holding',
  package: {
    name: 'splice-api-token-holding-v1',
    id: '718a0f77e505a8de22f188bd4c87fe74101274e9d4cb1bfac7d09aec7158d35b',
  },
}

const transferInstructions = {
  name: 'splice-api-token-transfer-instruction-v1',
  id: '55ba4deb0ad4662c4168b39859738a0e91388d252286480c7331b3f71a517281',
}
const allocations = {
  name: 'splice-api-token-allocation-v1',
  id: '93c942ae2b4c2ba674fb152fe38473c507bda4e82b4e4c5da55a552a9d8cce1d',
}
const allocationRequests = {
  name: 'splice-api-token-allocation-request-v1',
  id: '6fe848530b2404017c4a12874c956ad7d5c8a419ee9b040f96b5c13172d2e193',
}
const allocationInstructions = {
  name: 'splice-api-token-allocation-instruction-v1',
  id: '275064aacfe99cea72ee0c80563936129563776f67415ef9f13e4297eecbc520',
}

/**
 * The interfaces of the token standard (CIP-56), with ids from daml/dars.lock. Only coin implements
 * one of them, `Holding`. The ledger rejects a request with an unknown interface, so the list has
 * the others too.
 */
export const interfaces: readonly Interface[] = [
  Holding,
  { name: 'Splice.Api.Token.TransferInstructionV1:TransferInstruction', package: transferInstructions },
  { name: 'Splice.Api.Token.TransferInstructionV1:TransferFactory', package: transferInstructions },
  { name: 'Splice.Api.Token.AllocationV1:Allocation', package: allocations },
  { name: 'Splice.Api.Token.AllocationRequestV1:AllocationRequest', package: allocationRequests },
  { name: 'Splice.Api.Token.AllocationInstructionV1:AllocationInstruction', package: allocationInstructions },
  { name: 'Splice.Api.Token.AllocationInstructionV1:AllocationFactory', package: allocationInstructions },
]
