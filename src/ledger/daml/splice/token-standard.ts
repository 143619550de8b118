import { defineInterface, type Interface } from '../template.ts'

export const Holding = defineInterface('Splice.Api.Token.HoldingV1:Holding', {
  name: 'splice-api-token-holding-v1',
  id: '718a0f77e505a8de22f188bd4c87fe74101274e9d4cb1bfac7d09aec7158d35b',
})

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
 * The interfaces of the token standard (CIP-56), with ids from daml/dars.lock. The ledger rejects a
 * request with an unknown interface, so the list also has interfaces that no template implements.
 */
export const interfaces: readonly Interface[] = [
  Holding,
  defineInterface('Splice.Api.Token.TransferInstructionV1:TransferInstruction', transferInstructions),
  defineInterface('Splice.Api.Token.TransferInstructionV1:TransferFactory', transferInstructions),
  defineInterface('Splice.Api.Token.AllocationV1:Allocation', allocations),
  defineInterface('Splice.Api.Token.AllocationRequestV1:AllocationRequest', allocationRequests),
  defineInterface('Splice.Api.Token.AllocationInstructionV1:AllocationInstruction', allocationInstructions),
  defineInterface('Splice.Api.Token.AllocationInstructionV1:AllocationFactory', allocationInstructions),
]
