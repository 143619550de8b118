import { declaredError } from '../reply.ts'
import type { Contract, ContractWithState } from '../world/contract.ts'
import { fromAnnals, get, partyOf, refuse, rotatedByNode } from './asked.ts'

const whose = (field: string, party: string) => (contract: Contract) => contract.payload[field] === party
const held = (field: string, party: string) => (found: ContractWithState) =>
  found.contract.payload[field] === party

const featuredApps = fromAnnals((annals, question) => ({
  featured_apps: rotatedByNode(annals.featuredApps, question),
}))

const featuredAppsOf = fromAnnals((annals, question) => {
  const own = annals.featuredApps.filter(whose('provider', partyOf(question.lastArgument)))
  return { featured_apps: rotatedByNode(own, question) }
})

const featuredApp = fromAnnals((annals, question) => {
  const own = annals.featuredApps.filter(whose('provider', partyOf(question.lastArgument)))
  return { featured_app_right: rotatedByNode(own, question)[0] ?? null }
})

const featuredAppById = fromAnnals(({ featuredApps: all }, { lastArgument }) => ({
  featured_app_right: all.find(({ contract_id: id }) => id === lastArgument) ?? null,
}))

const preapproval = fromAnnals(({ preapprovals }, { lastArgument }) => {
  const found = preapprovals.find(held('receiver', partyOf(lastArgument)))
  return found === undefined
    ? refuse(declaredError(404, `No TransferPreapproval found for party: ${lastArgument}`))
    : { transfer_preapproval: found }
})

const counter = fromAnnals(({ counters }, { lastArgument }) => {
  const found = counters.find(held('sender', partyOf(lastArgument)))
  const none = `No TransferCommandCounter found for party: ${lastArgument}, use 0 for the nonce`
  return found === undefined ? refuse(declaredError(404, none)) : { transfer_command_counter: found }
})

const commandStatus = fromAnnals(({ commands }, { query }) => {
  const sender = partyOf(query.get('sender'))
  const nonce = query.get('nonce')
  const found = commands.filter(
    ({ contract: { payload } }) => payload['sender'] === sender && payload['nonce'] === nonce,
  )
  if (found.length > 0) {
    const byId = found.map((command) => [command.contract.contract_id, command])
    return { transfer_commands_by_contract_id: Object.fromEntries(byId) }
  }
  const none = `Couldn't find transfer command for sender ${sender} with nonce ${nonce} created in the last 24h`
  return refuse(declaredError(404, none))
})

const coupons = fromAnnals((annals, question) => ({
  'unclaimed-development-fund-coupons': rotatedByNode(annals.coupons, question),
}))

export const rightsReads = [
  get('featured-apps', '/api/scan/v0/featured-apps', featuredApps),
  get('featured-app', '/api/scan/v0/featured-apps/{}', featuredApp),
  get('featured-apps-of', '/api/scan/v0/featured-apps/by-provider/{}', featuredAppsOf),
  get('featured-app-by-id', '/api/scan/v0/featured-apps/by-contract-id/{}', featuredAppById),
  get('preapproval', '/api/scan/v0/transfer-preapprovals/by-party/{}', preapproval),
  get('command-counter', '/api/scan/v0/transfer-command-counter/{}', counter),
  get('command-status', '/api/scan/v0/transfer-command/status', commandStatus),
  get('coupons', '/api/scan/v0/unclaimed-development-fund-coupons', coupons),
] as const
