import type { Package } from '../packages.ts'

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
