import { nameServicePackage } from '../packages.ts'
import { require } from '../refused.ts'
import { consuming, defineTemplate } from '../template.ts'
import { isLongerThanNothing, later, microsOf, timeOf } from '../time.ts'
import { party, record, relTime, text, time } from '../type.ts'

/** A name and whose it is, until `expiresAt`. A renewal makes another contract of it. */
export const AnsEntry = defineTemplate('Splice.Ans:AnsEntry', {
  package: nameServicePackage,
  argument: record({ user: party, dso: party, name: text, url: text, description: text, expiresAt: time }),
  signatories: ({ user, dso }) => [user, dso],
  indexed: { name: ['name'], user: ['user'] },
  due: 'expiresAt',
})

export const AnsEntry_Expire = consuming(AnsEntry, 'AnsEntry_Expire', {
  argument: record({ actor: party }),
  controllers: (_, { actor }) => [actor],
  run(scope, { signatories, argument: { expiresAt } }, { actor }) {
    require(`Actor '${actor}' is a signatory`, signatories.includes(actor))
    require('Contract expired', microsOf(expiresAt) < scope.now)
    return {}
  },
})

export const AnsEntry_Renew = consuming(AnsEntry, 'AnsEntry_Renew', {
  argument: record({ extension: relTime }),
  controllers: ({ argument: { user, dso } }) => [user, dso],
  run(scope, { argument }, { extension }) {
    require('Extension positive', isLongerThanNothing(extension))
    const expiresAt = timeOf(later(microsOf(argument.expiresAt), extension))
    return { entryCid: scope.create(AnsEntry, { ...argument, expiresAt }) }
  },
})
