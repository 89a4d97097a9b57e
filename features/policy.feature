Feature: A policy says who may hold how much, and memory is judged by it

    An operator writes one YAML file. Faults are named with their place before anything runs; a running process
    takes changes at once and never loses a good policy to a bad edit; levels rise on lasting pressure only.

    Scenario: A misspelt policy is refused with its place and a cure
        Given a policy in which an agent has the key "maxx" and a size without a unit
        When  the operator checks it
        Then  the check ends with exit code 1
        And   it says '"maxx" is not a key of a budget' at line 4
        And   it proposes to rename it to "max"
        And   it also names the size without a unit

    Scenario: A bad edit keeps the last good policy
        Given a running process under revision 1
        When  the file is changed to a faulty text
        Then  revision 1 stays in force and the fault is reported
        When  the file is corrected as revision 2
        Then  revision 2 is in force

    Scenario: A session that outgrows its budget is named
        Given a policy with 8 MiB for each session and 16 MiB for "vip-*"
        And   the sessions "42" and "vip-7" hold 9 MiB each
        When  readings come for 10 seconds
        Then  "process/session:42" is at level "emergency" by the rule 'sessions "*"'
        And   "process/session:vip-7" is at level "normal"
        When  session "42" closes
        Then  its level is over

    Scenario: Garbage that comes and goes raises nothing
        Given a healthy process whose raw heap swings between 54 % and 70 %
        When  readings come for an hour
        Then  no level changes

    Scenario Outline: A leak is caught shortly after it crosses each line
        Given a process that leaks <percent> % of its limit per second
        When  readings come until the limit is reached
        Then  the levels rise in order, each at most <late> seconds after its line

        Examples:
            | percent | late |
            | 0.1     | 31   |
            | 0.5     | 31   |
