import { type MaybePromise, whenKnown } from '../../lib/maybe-promise.ts'
import type { Answer } from '../node-request.ts'
import { jsonReply, unexpectedError } from '../reply.ts'
import type { ContractWithState } from '../world/contract.ts'
import type { View } from '../world/view.ts'
import { jsonObject, malformed } from './asked.ts'
import { memoised } from './memoised.ts'

const contractText = memoised((contract: ContractWithState) => JSON.stringify(contract))

/**
 * Makes the handler of a read of one contract, which callers may cache. If the contract id in the
 * request is still the current one, the reply has `contract: null`.
 * @param field the field of the reply that has the contract.
 * @param cached the field of the request's body that has the caller's contract id.
 */
export function cachedContract(
  field: string,
  cached: string,
  current: (view: View) => MaybePromise<ContractWithState | undefined>,
): Answer {
  return (view, question) => {
    const asked = jsonObject(question)
    if ('status' in asked) return asked
    const known = asked.object[cached] ?? null
    if (known !== null && typeof known !== 'string') return malformed(`String: DownField(${cached})`)
    if (!view.initialised) return unexpectedError
    return whenKnown(current(view), (contract) => {
      if (contract === undefined) return unexpectedError
      if (known !== contract.contract.contract_id) return jsonReply(`{"${field}":${contractText(contract)}}`)
      return jsonReply(JSON.stringify({ [field]: { contract: null, domain_id: contract.domain_id } }))
    })
  }
}
