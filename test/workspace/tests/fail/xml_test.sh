#!/bin/sh
# Writes its own test.xml, as a JUnit runner does.
cat >"$XML_OUTPUT_FILE" <<'XML'
<?xml version="1.0" encoding="UTF-8"?>
<testsuites>
  <testsuite name="com.example.OrderTest" tests="3" failures="1" errors="1">
    <testcase name="acceptsOrder" classname="com.example.OrderTest" time="0.012"/>
    <testcase name="refusesNegativeAmount" classname="com.example.OrderTest" time="0.004">
      <failure message="expected:&lt;REJECTED&gt; but was:&lt;ACCEPTED&gt;" type="org.junit.ComparisonFailure">org.junit.ComparisonFailure: expected:&lt;REJECTED&gt; but was:&lt;ACCEPTED&gt;
	at com.example.OrderTest.refusesNegativeAmount(OrderTest.java:41)</failure>
    </testcase>
    <testcase name="storesOrder" classname="com.example.OrderTest" time="0.031">
      <error message="connection refused: db:5432" type="java.net.ConnectException">java.net.ConnectException: connection refused: db:5432
	at com.example.OrderStore.open(OrderStore.java:88)
	at com.example.OrderTest.storesOrder(OrderTest.java:57)</error>
    </testcase>
  </testsuite>
</testsuites>
XML
exit 1
