export type { AlertRules, RecipientRule, SecretRef } from '../policy/sections/alert-rules.ts';
