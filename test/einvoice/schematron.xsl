<?xml version="1.0" encoding="UTF-8"?>
<!-- Turns a set of Schematron rules into a stylesheet that prints a line for each failed assertion: its flag, its
     identifier and its text. Each pattern is a mode of its own, in which the first rule that matches a node applies to it. -->
<xsl:stylesheet version="2.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:out="urn:output"
    xmlns:sch="http://purl.oclc.org/dsdl/schematron">
  <xsl:namespace-alias stylesheet-prefix="out" result-prefix="xsl"/>
  <xsl:variable name="patterns" select="/sch:schema/sch:pattern"/>
  <!-- An included file is named ../common.sch, and stored beside this one as xrechnung-common.sch. -->
  <xsl:variable name="included" select="for $i in /sch:schema/sch:include
      return document(replace($i/@href, '^\.\./', 'xrechnung-'), $i)/sch:pattern"/>

  <xsl:template match="/sch:schema">
    <out:stylesheet version="2.0" xmlns:xs="http://www.w3.org/2001/XMLSchema">
      <xsl:for-each select="sch:ns"><xsl:namespace name="{@prefix}" select="@uri"/></xsl:for-each>
      <out:output method="text"/>
      <xsl:copy-of select="xsl:function"/>
      <xsl:apply-templates select="sch:let | $included/sch:let | $patterns/sch:let"/>
      <out:template match="/">
        <xsl:for-each select="$patterns"><out:apply-templates select="." mode="p{position()}"/></xsl:for-each>
      </out:template>
      <xsl:for-each select="$patterns">
        <xsl:variable name="mode" select="concat('p', position())"/>
        <out:template match="/ | node() | @*" mode="{$mode}" priority="-10">
          <out:apply-templates select="@* | node()" mode="{$mode}"/>
        </out:template>
        <xsl:for-each select="sch:rule">
          <out:template match="{@context}" mode="{$mode}" priority="{1000 - position()}">
            <xsl:apply-templates select="sch:let, sch:assert"/>
            <out:apply-templates select="@* | node()" mode="{$mode}"/>
          </out:template>
        </xsl:for-each>
      </xsl:for-each>
    </out:stylesheet>
  </xsl:template>

  <xsl:template match="sch:let"><out:variable name="{@name}" select="{@value}"/></xsl:template>

  <xsl:template match="sch:assert">
    <out:if test="not({@test})">
      <out:text><xsl:value-of select="@flag, @id, normalize-space(.)"/><xsl:text>&#10;</xsl:text></out:text>
    </out:if>
  </xsl:template>
</xsl:stylesheet>
